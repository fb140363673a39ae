"""Learn the injection guard's weights: `python benchmarks/guards/train_injection.py [--check]`.

Learned from S-Labs train, Neuralchemy train, half of the multilingual set, attacks of our own,
ordinary letters, and what free software says to people. Nothing whose plain form is in a test or
validation set is learned. The threshold and the calibration come from the validation parts;
bastioncorpus and AgentDojo are never looked at here but to leave their texts out.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import math
import random
from pathlib import Path
from typing import Any

from injection_corpora import Text, bastion, multilingual, neuralchemy, slabs, without
from injection_ordinary import hard_sentences, hidden_in_letters, letters, lookalikes, made_attacks
from injection_prose import interface, office, technical
from injection_venvs import ROOT, TRAINING, inside

HERE = ROOT / "orka" / "kit" / "guards" / "injection"
FALSE_ALARMS = 0.02  # of ordinary letters that are not learned from
AT_THRESHOLD = 0.7
_LONGEST = 600
_REGULAR = 2.0


def plain(text: str) -> str:
    """A text as the classifier gets it."""
    folding = importlib.import_module("orka.kit.guards.injection.folding")
    mapped = importlib.import_module("orka.kit.guards.injection.mapped")
    shown: str = folding.unmasked(folding.seen(mapped.Mapped(text))).text
    return shown


def tests() -> list[Text]:
    """All that the guard is measured on."""
    usual = (*letters("test", 2000, seed=7, hard=0.05), *technical("test", 500), *office())
    own = [Text(text, False) for text in usual]
    parts = (slabs("test"), neuralchemy("test"), bastion(), multilingual("test"), own)
    return [each for part in parts for each in part]


def validation() -> tuple[list[Text], list[str]]:
    """Attacks and harmless texts of the corpora; ordinary letters."""
    corpora = [*slabs("validation"), *neuralchemy("validation"), *multilingual("validation")]
    kept = list(without(corpora, tests()))
    usual = letters("validation", 2500, seed=5, hard=0.05) + technical("validation", 500)
    return kept, usual + hard_sentences("validation", 2)


def training(held: list[Text]) -> list[Text]:
    """Everything that is learned from."""
    dice = random.Random(5)
    found = [
        each
        for part in (slabs("train"), neuralchemy("train"), multilingual("train"))
        for each in without(part, held)
    ]
    found += 3 * list(without(multilingual("train"), held))  # few, and the only ones not in English
    harmless = [each.text for each in found if not each.attack and len(each.text) < 250]
    own = made_attacks(3)
    attacks = [each.text for each in found if each.attack and len(each.text) < 300] + own * 3
    ordinary = [*letters("train", 12_000), *hard_sentences("train", 4), *interface("train")]
    ordinary += technical("train", 3000) + lookalikes(2)
    ordinary += [" ".join(dice.sample(harmless, dice.randint(2, 6))) for _ in range(2500)]
    found += [Text(text, False) for text in ordinary]
    found += [Text(text, True) for text in own]
    return found + hidden_in_letters("train", attacks, 2500)


class Learner:
    """Features, the fit, and the numbers that turn a logit into a confidence."""

    def __init__(self) -> None:
        self.np: Any = importlib.import_module("numpy")
        self.sparse: Any = importlib.import_module("scipy.sparse")
        self.linear: Any = importlib.import_module("sklearn.linear_model")
        self.grams: Any = importlib.import_module("orka.kit.guards.injection.grams")
        self.spans: Any = importlib.import_module("orka.kit.guards.injection.classifier").spans

    def features(self, texts: list[str]) -> Any:
        """A row for each text: how often each bucket is met, by the root of how many there are."""
        columns, values, ends = [], [], [0]
        for text in texts:
            buckets, _ = self.grams.grams(text)
            found, counts = self.np.unique(buckets, return_counts=True)
            columns.append(found)
            values.append(counts / math.sqrt(len(buckets)))
            ends.append(ends[-1] + len(found))
        parts = (self.np.concatenate(values), self.np.concatenate(columns), ends)
        return self.sparse.csr_matrix(parts, shape=(len(texts), 1 << self.grams.BITS))

    def fit(self, texts: list[Text]) -> tuple[Any, float]:
        """The weights and the bias. Harmless texts are learned window by window."""
        rows, labels, weights = [], [], []
        for each in texts:
            shown = plain(each.text)
            pieces = [shown[:_LONGEST]]
            if not each.attack:
                pieces = [shown[start:end] for start, end in self.spans(len(shown))][:8]
            for piece in filter(str.strip, pieces):
                rows.append(piece)
                labels.append(each.attack)
                weights.append(2.0 if each.attack and len(piece) < 90 else 1.0)
        model = self.linear.LogisticRegression(
            C=_REGULAR, max_iter=300, solver="liblinear", random_state=1
        )
        model.fit(self.features(rows), labels, sample_weight=weights)
        return model.coef_[0], float(model.intercept_[0])

    def logits(self, weights: Any, settings: dict[str, Any], texts: list[str]) -> Any:
        """The highest logit of each text, by the code that runs in the product."""
        module = importlib.import_module("orka.kit.guards.injection.classifier")
        made = module.Classifier(module.Settings(**settings), weights, self.grams)
        best = [
            max((each.logit for each in made.windows(plain(text))), default=-30.0) for text in texts
        ]
        return self.np.array(best)

    def slope(self, logits: Any, labels: list[bool]) -> float:
        """How fast a probability grows with the logit (Platt)."""
        model = self.linear.LogisticRegression(C=1e3).fit(logits.reshape(-1, 1), labels)
        return float(model.coef_[0][0])

    def growth(self, weights: Any, settings: dict[str, Any], texts: list[str]) -> float:
        """How much higher the highest logit of an ordinary text is when it is twice as long."""
        dice = random.Random(9)
        highest = []
        for doublings in range(1, 6):
            some = ["\n".join(dice.sample(texts, 2**doublings)) for _ in range(150)]
            highest.append(self.np.quantile(self.logits(weights, settings, some), 0.98))
        return max(0.0, float(self.np.polyfit(range(len(highest)), highest, 1)[0]))


def learn() -> tuple[bytes, dict[str, Any]]:
    """The file of weights, and the settings beside it."""
    learner = Learner()
    corpora, ordinary = validation()
    held = [*tests(), *corpora, *(Text(text, False) for text in ordinary)]
    coefficients, bias = learner.fit(training(held))
    step = float(learner.np.quantile(learner.np.abs(coefficients), 0.9999)) / 127
    packed = learner.np.clip(learner.np.rint(coefficients / step), -127, 127)
    weights = packed.astype(learner.np.int8)
    settings: dict[str, Any] = {
        "step": round(step, 9),
        "bias": round(bias, 6),
        "slope": 1.0,
        "offset": 0.0,
        "per_doubling": 0.0,
        "digest": hashlib.sha256(weights.tobytes()).hexdigest(),
    }
    usual = learner.logits(weights, settings, ordinary)
    at = float(learner.np.quantile(usual, 1 - FALSE_ALARMS))
    logits = learner.logits(weights, settings, [each.text for each in corpora])
    slope = learner.slope(logits, [each.attack for each in corpora])
    settings["per_doubling"] = round(learner.growth(weights, settings, ordinary), 6)
    settings["slope"] = round(slope, 6)
    settings["offset"] = round(math.log(AT_THRESHOLD / (1 - AT_THRESHOLD)) - slope * at, 6)
    said = learner.np.array([each.attack for each in corpora])
    found, wrong = (logits[said] >= at).mean(), (logits[~said] >= at).mean()
    print(f"threshold at logit {at:.3f}: {found:.3f} of the attacks, {wrong:.3f} of the others")
    return weights.tobytes(), settings


def main() -> None:
    """Write the weights; with `--check` only say whether they come out as they are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    check = parser.parse_args().check
    weights, settings = learn()
    described = json.dumps(settings, indent=2, sort_keys=True) + "\n"
    if check:
        known = Path(HERE / "weights.json").read_text(encoding="utf-8")
        raise SystemExit(0 if known == described else "the weights come out otherwise")
    (HERE / "weights.bin").write_bytes(weights)
    (HERE / "weights.json").write_text(described, encoding="utf-8")
    print(f"{len(weights)} bytes, sha256 {settings['digest']}")


if __name__ == "__main__" and inside("train", *TRAINING):
    main()
