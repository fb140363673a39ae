"""Words before a value that say what it is, in the languages of those who write to a desk."""

from __future__ import annotations

import re

from orka.kit.guards.pii import trie

# How far before a value a word still speaks of it.
REACH = 48
# Scripts from here on leave no gaps between words.
_JOINED = 0x2E80
_CLAUSE = re.compile(r"[\n;!?\u3002]|[.,](?=\s)")


def words(*said: str) -> re.Pattern[str]:
    """A pattern for any of the words; those of scripts without gaps stand anywhere."""
    spaced = [word for word in said if ord(word[0]) < _JOINED]
    joined = [word for word in said if ord(word[0]) >= _JOINED]
    parts = [rf"(?<![^\W_]){trie.tree(spaced)}(?![^\W_])"] if spaced else []
    return re.compile("|".join([*parts, trie.tree(joined)] if joined else parts), re.IGNORECASE)


def scan(*said: str) -> re.Pattern[str]:
    """The same for a long text in small letters."""
    spaced = [word for word in said if ord(word[0]) < _JOINED]
    return re.compile(trie.scan(spaced, [word for word in said if ord(word[0]) >= _JOINED]))


def small(text: str) -> str:
    """The text in small letters, each where it was."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    return lowered


def last(
    pattern: re.Pattern[str], text: str, at: int, *, clause: bool = False, within: int = REACH
) -> int:
    """Where the last of the words before `at` ends; -1 if none is `within` so many characters. Only
    the same `clause` counts, if that is said."""
    begin = max(0, at - within)
    found = -1
    for match in pattern.finditer(text, begin, at):
        found = match.end()
    if clause and found >= 0 and _CLAUSE.search(text, found, at):
        return -1
    return found


PHONE = words(
    *(
        "tel",
        "tel[eé]phone",
        "phones?",
        "ph",
        "mobile",
        "cell(?:phone)?",
        "fax",
        "call(?: me| us)?",
    ),
    *("ring", "sms", "text me", "whatsapp", "telegram", "signal", "hotline", "dial", "reach me"),
    *("telefon(?:nummer|nr|ist|em)?", "rufnummer", "handy(?:nummer)?", "mobil(?:nummer|nr)?"),
    *("anrufen", "anruf", "r[uü]ckruf", "festnetz", "appel(?:ez|er)?", "portable", "num[eé]ro"),
    *("t[eé]l[eé]phone", "joindre", "rappel(?:ez|er)", "tel[eé]fono", "m[oó]vil", "celular"),
    *("ll[aá]m(?:a|e|ame|eme|ar|enme)", "cellulare", "chiama(?:re|temi|mi)?", "recapito"),
    *("telefoon(?:nummer)?", "mobiel", "bel(?:len)?", "bereikbaar", "telefonu?", "kom[oó]rk[aiio]"),
    *("dzwoni[ćc]", "zadzwo[nń]", "kontaktowy", "telem[oó]vel", "telefone", "lig(?:ar|ue)"),
    *("ring(?:a|er)?", "telefonnummer", "mobilnummer", "puhelin(?:numero)?", "puh", "tlf"),
    *("telefonszám", "telefonní", "τηλ", "тел(?:ефон)?"),
    *("電話", "电话", "手机", "携帯", "番号", "전화", "연락처", "핸드폰"),
)
NUMBERED = words(
    *("orders?", "order (?:no|number|id)", "invoice", "ref(?:erence)?", "part(?:_no| no| number)?"),
    *("sku", "lot", "batch", "ticket", "case", "tracking(?: number| no)?", "parcel", "shipment"),
    *("serial(?: number| no)?", "version", "build", "timestamp", "updated_at", "created_at", "ts"),
    *(
        "unix(?: time)?",
        "epoch",
        "model",
        "article",
        "item",
        "isbn",
        "ean",
        "gtin",
        "upc",
        "commit",
    ),
    *("bestellung", "bestellnummer", "rechnung(?:snummer)?", "auftrag(?:snummer)?", "sendung"),
    *("sendungsnummer", "artikel(?:nummer)?", "kundennummer", "vorgang", "commande", "facture"),
    *(
        "colis",
        "suivi",
        "dossier",
        "r[eé]f[eé]rence",
        "pedido",
        "factura",
        "seguimiento",
        "env[ií]o",
    ),
    *("ordine", "fattura", "spedizione", "bestelling", "bestelnummer", "factuur(?:nummer)?"),
    *("pakket", "zam[oó]wieni[aeu]", "faktur[aęy]", "przesy[łl]k[aiię]", "fatura", "encomenda"),
    *("rastreio", "best[aä]llning(?:snummer)?", "fakturanummer", "faktura", "kolli", "paket"),
    *("ordernummer", "заказа?", "注文", "注文番号", "伝票", "追跡", "订单", "运单", "発注"),
    *("order_?id", "ticket_?id", "request_?id", "trace_?id", "user_?id", "row", "lines?", "id"),
)
