"""The rules for other languages: being told to drop the instructions, to show them, or that there
are no limits any more. Words are stems, in small letters and without accents."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from orka.kit.guards.injection.rule import STRONG, WEAK, Rule, any_of, literal, rule


class Language(msgspec.Struct, frozen=True):
    """`drop` and `show`: what the model is told to do; `rules`: with what; `which`: words that say
    that its own are meant; `prompt`: what it is to show; `free`: that it has no limits any more.
    `spaced`: words have blanks between them. Words with a blank between them are alternatives."""

    drop: str
    rules: str
    which: str
    show: str
    prompt: str
    free: str = ""
    spaced: bool = True


_PROMPT = "system.?prompt prompt.?system"

LANGUAGES: dict[str, Language] = {
    "fr": Language(
        r"ignor(?:e|ez|er|ons) oubli(?:e|ez|er) neglige(?:z|r)? ne.(?:suis|suivez|respecte"
        r"|respectez|tiens|tenez)"
        r" (?:fais|faites).abstraction contourne[zr]? abandonne[zr]? outrepasse[zr]? annule[zr]?",
        r"instructions? consignes? directives? regles? ordres protocoles? restrictions?"
        r" formation",
        r"toutes? tous tes precedente?s? anterieure?s? ci-dessus initiale?s? systeme recues?"
        r" ethiques"
        r" standards? habituel(?:le)?s? securite donnees",
        r"affiche[rz]? montre[rz]? revele[rz]?(?:-moi)? donne[rz]?(?:-moi)? imprime[rz]?"
        r" repete[rz]? divulgue[rz]?"
        r" dis-moi dites-moi communique[rz]?",
        r"(?:prompt|invite|message|instructions?|consignes?|directives?).{1,3}(?:systeme"
        r"|initiale?s?|cachee?s?|secrete?s?|de.depart)"
        r" system.?prompt (?:tes|votre).(?:prompt|instructions|consignes|configuration)",
        r"sans (?:aucune )?(?:restriction|limite|filtre|regle)s? ; plus (?:aucune"
        r" )?(?:restriction|limite|regle)s?",
    ),
    "de": Language(
        r"ignorier(?:e|en|t) vergiss vergesst vergessen missacht(?:e|en|et) umgeh(?:e|en|t)"
        r" verwirf verwerfen"
        r" uberschreib(?:e|en) befolge.(?:nicht|keine) beachte.nicht setz(?:e|en)?.dich",
        r"anweisung(?:en)? instruktion(?:en)? vorgaben? regeln richtlinien? befehle?"
        r" beschrankungen vorschriften",
        r"alle[sn]? samtliche[n]? deine[rn]? bisherigen? vorherige[n]? vorigen? fruheren?"
        r" obigen? ursprunglichen?"
        r" vorangegangenen? system\w* gegebenen",
        r"zeig(?:e|en)? verrat(?:e|en)? gib geben nenn(?:e|en)? offenbar(?:e|en)?"
        r" wiederhol(?:e|en)? druck(?:e|en)?"
        r" schreib(?:e|en)? enthull(?:e|en)?",
        r"system.?prompts? systemanweisung(?:en)? systemnachricht systemvorgaben?"
        r" (?:deine[nrs]?|ursprungliche[nrs]?|geheime[nrs]?|interne[nrs]?"
        r"|versteckte[nrs]?).(?:prompt|anweisung(?:en)?|instruktion(?:en)?|vorgaben"
        r"|konfiguration)",
        r"ohne (?:jede |jegliche )?(?:einschrankung|beschrankung|filter|regel|grenze)(?:en"
        r"|n)? ; keine (?:regeln|richtlinien|einschrankungen|beschrankungen)(?: mehr)?",
    ),
    "es": Language(
        r"ignor(?:a|e|en|ar|ad) olvid(?:a|e|en|ar|ate|ese) descart(?:a|e|ar) omit(?:e|a|ir)"
        r" anul(?:a|e|ar) desobedec(?:e|er)"
        r" no.(?:sigas|siga|obedezcas|respetes) haz.caso.omiso hag\w+.caso.omiso",
        r"instruccion(?:es)? indicaciones directri(?:z|ces) reglas ordenes ordenes normas"
        r" restricciones protocolos?",
        r"tod[oa]s tus anteriores? previ[oa]s de.arriba del.sistema iniciales recibidas"
        r" originales eticas estandar",
        r"mu[e]?str(?:a|e|en|ar)(?:me)? revel(?:a|e|ar)(?:me)? dime dame imprim(?:e|a|ir)"
        r" repit(?:e|a) ense[n]?a(?:me)? escrib(?:e|a)",
        r"(?:prompt|mensaje|instrucciones|indicaciones).{1,5}(?:sistema|inicial(?:es)?"
        r"|ocult[oa]s?|secret[oa]s?) system.?prompt"
        r" tus?.(?:prompt|instrucciones|configuracion|directrices)",
        r"sin (?:ninguna )?(?:restriccion|restricciones|limites|filtros?|reglas) ; ya no"
        r" tienes (?:reglas|restricciones|limites)",
    ),
    "it": Language(
        r"ignor(?:a|i|ate|are) dimentic(?:a|hi|ate|are) trascur(?:a|ate|are) scavalc(?:a|are)"
        r" annull(?:a|are) non.(?:seguire|rispettare)",
        r"istruzion[ei] indicazioni direttiv[ae] regol[ae] ordini comandi restrizioni protocolli",
        r"tutt[ei] tue tuoi precedenti anteriori di.sistema del.sistema iniziali ricevut[ei]"
        r" original[ei] etiche standard qui.sopra",
        r"mostra(?:mi|te)? rivela(?:mi|te)? dimmi dammi stampa(?:mi)? ripeti(?:mi)?"
        r" scrivi(?:mi)? svela(?:mi)?",
        r"(?:prompt|messaggio|istruzioni).{1,5}(?:sistema|inizial[ei]|nascost[oaie]"
        r"|segret[oaie]) system.?prompt (?:tuo|tue|tuoi).(?:prompt|istruzioni|configurazione)",
        r"senza (?:alcuna )?(?:restrizioni?|limiti|filtri|regole) ; non hai piu (?:regole"
        r"|restrizioni|limiti)",
    ),
    "pt": Language(
        r"ignor(?:a|e|em|ar) esquec(?:e|a|am|er) desconsider(?:a|e|em|ar) descart(?:a|e|ar)"
        r" omit(?:e|a|ir) anul(?:a|e|ar)"
        r" nao.(?:sigas|siga|obedecas|obedeca) ultrapass(?:a|e|ar)",
        r"instruc(?:ao|oes) indicacoes diretri(?:z|zes) regras ordens comandos restricoes"
        r" protocolos?",
        r"tod[oa]s tuas teus suas seus anteriores? previ[oa]s acima do.sistema iniciais"
        r" recebidas originais eticas padrao",
        r"mostr(?:a|e|em|ar)(?:-me)? revel(?:a|e|ar)(?:-me)? diz-me diga-me imprim(?:e|a|ir)"
        r" repet(?:e|a|ir)(?:-me)? escrev(?:e|a) exib(?:e|a|ir)",
        r"(?:prompt|mensagem|instrucoes).{1,5}(?:sistema|inicia(?:l|is)|ocult[oa]s?"
        r"|secret[oa]s?) system.?prompt"
        r" (?:teu|tuas|seu|suas).(?:prompt|instrucoes|configuracao)",
        r"sem (?:nenhuma )?(?:restricao|restricoes|limites|filtros?|regras) ; ja nao tens"
        r" (?:regras|restricoes|limites)",
    ),
    "ro": Language(
        r"ignor(?:a|ati) uita(?:ti)? nu.(?:respecta|urma|tine) anuleaza omite",
        r"instructiunile instructiuni regulile directivele ordinele protocoalele restrictiile",
        r"toate tale anterioare precedente de.sistem initiale de.mai.sus",
        r"arata(?:-mi)? dezvaluie(?:-mi)? spune-mi afiseaza repeta scrie",
        r"(?:promptul|mesajul|instructiunile).{1,5}(?:sistem(?:ului)?|initiale?|ascunse?"
        r"|secrete?) system.?prompt",
        r"fara (?:nicio )?(?:restrictii|restrictie|limite|filtre|reguli)",
    ),
    "nl": Language(
        r"negeer vergeet negeren omzeil sla\b volg.(?:niet|geen) laat",
        r"instructies? aanwijzingen regels opdrachten richtlijnen beperkingen",
        r"alle je jouw uw vorige eerdere voorgaande bovenstaande oorspronkelijke systeem\w*",
        r"toon laat.zien geef onthul vertel herhaal print schrijf deel",
        r"systeem.?prompt systeeminstructies system.?prompt (?:je|jouw|verborgen|geheime"
        r"|oorspronkelijke).(?:prompt|instructies|configuratie)",
        r"zonder (?:enige )?(?:beperkingen|filters?|regels|grenzen) ; geen (?:regels"
        r"|beperkingen) meer",
    ),
    "pl": Language(
        r"(?:z)?ignoruj(?:cie)? zapomnij(?:cie)? pomin(?:cie)? porzuc odrzuc"
        r" nie.(?:przestrzegaj|stosuj) obejdz lekcewaz",
        r"instrukcj(?:e|i|ami|ach) polece[nń](?:ia)? poleceni[ae] wytyczn(?:e|ych) zasad(?:y"
        r"|ach)? regul(?:y|ach)? wskazow(?:ki|ek) zasa[dł]",
        r"wszystki(?:e|ch) swoje swoich poprzedni(?:e|ch|mi) wczesniejsz(?:e|ych) powyzsz(?:e"
        r"|ych) systemow(?:e|ych) dotychczasow(?:e|ych)",
        r"pokaz ujawnij wyswietl podaj wypisz powtorz zdradz",
        r"prompt(?:u)?.{1,3}systemow(?:y|ego) systemow(?:y|ego).prompt(?:u)? (?:swoje|ukryte"
        r"|tajne|poczatkowe|systemowe).instrukcje system.?prompt",
        r"bez (?:zadnych )?(?:ograniczen|filtrow|zasad|limitow)",
    ),
    "sv": Language(
        r"ignorera glom strunta.i bortse.fran folj.inte asidosatt",
        r"instruktion(?:er|erna)? regler(?:na)? anvisningar(?:na)? direktiv(?:en)? order"
        r" riktlinjer(?:na)? begransningar(?:na)?",
        r"alla dina tidigare foregaende ovanstaende ursprungliga system\w*",
        r"visa avsloja beratta skriv.ut upprepa ge.mig",
        r"system.?prompt(?:en)? systeminstruktioner(?:na)? (?:dina|din|dolda"
        r"|hemliga).(?:prompt|instruktioner|konfiguration)",
        r"utan (?:nagra )?(?:begransningar|filter|regler|restriktioner)",
    ),
    "tr": Language(
        r"yok.say\w* unut\w* gormezden.gel\w* goz.ardi.et\w* dikkate.alma uyma\b"
        r" gec(?:ersiz.say\w*)? boz",
        r"talimat\w* yonerge\w* kural\w* komut\w* direktif\w* kisitlama\w*",
        r"tum butun onceki daha.onceki yukaridaki kurallarini talimatlarini sistem\w* ilk senin",
        r"goster\w* acikla\w* yazdir\w* soyle\w* paylas\w* tekrarla\w* ver",
        r"sistem.(?:prompt\w*|istem\w*|mesaj\w*|talimat\w*|komut\w*) system.?prompt\w*"
        r" gizli.(?:talimat\w*|istem\w*)",
        r"(?:hicbir )?(?:kisitlama|sinir|filtre|kural)(?:siz|suz|lari olmadan| olmadan| yok)",
    ),
    "ru": Language(
        r"игнорир(?:уй|уйте|овать) проигнорир\w+ забуд(?:ь|ьте) забыть не.(?:следуй|соблюдай"
        r"|выполняй)(?:те)? отмени(?:те)? обойди отбрось пренебреги",
        r"инструкци\w+ указани\w+ правил\w* команд\w* директив\w* распоряжени\w+ ограничени\w+",
        r"все всех любые свои своих твои предыдущ\w+ прежн\w+ прошл\w+ вышеуказанн\w+ выше"
        r" системн\w+ исходн\w+ ранее",
        r"покажи(?:те)? раскрой(?:те)? выведи(?:те)? напиши(?:те)? повтори(?:те)?"
        r" расскажи(?:те)? сообщи(?:те)?",
        r"системн\w+.(?:промпт\w*|запрос\w*|инструкци\w+|подсказк\w+|сообщени\w+|настройк\w+)"
        r" (?:свои|твои|скрыт\w+|секретн\w+).(?:инструкци\w+|промпт\w*|настройк\w+)",
        r"без (?:каких-либо |всяких )?(?:ограничений|фильтров|правил|цензуры)",
    ),
    "uk": Language(
        r"ігноруй(?:те)? проігноруй\w* забудь(?:те)? не.(?:виконуй|дотримуйся) скасуй",
        r"інструкці\w+ вказівк\w+ правил\w* команд\w* обмежен\w+",
        r"усі всі свої твої попередн\w+ вищезазначен\w+ системн\w+ початков\w+",
        r"покажи розкрий виведи напиши повтори",
        r"системн\w+.(?:промпт\w*|запит\w*|інструкці\w+|підказк\w+) (?:свої"
        r"|приховані).інструкці\w+",
        r"без (?:жодних |будь-яких )?(?:обмежень|фільтрів|правил)",
    ),
    "cs": Language(
        r"ignoruj(?:te)? zapomen(?:te)? nedodrzuj preskoc zrus obejdi",
        r"instrukc(?:e|i) pokyn(?:y|u)? pravid(?:la|el) prikaz(?:y|u)?",
        r"vsechn[ay] vsechny vsech sve predchozi drivejsi vyse systemove",
        r"ukaz zobraz prozrad vypis napis zopakuj",
        r"systemov(?:y|e|eho).(?:prompt\w*|pokyny|instrukce|zpravu) system.?prompt",
        r"bez (?:jakychkoli )?(?:omezeni|filtru|pravidel)",
    ),
    "id": Language(
        r"abaikan lupakan hiraukan jangan.ikuti lewati",
        r"instruksi perintah aturan petunjuk arahan batasan",
        r"semua sebelumnya di.atas sistem awal anda kamu",
        r"tampilkan tunjukkan ungkapkan cetak ulangi beritahu bocorkan",
        r"(?:prompt|pesan|instruksi).(?:sistem|awal|rahasia|tersembunyi) system.?prompt",
        r"tanpa (?:batasan|filter|aturan)",
    ),
    "vi": Language(
        r"bo.qua quen phot.lo khong.tuan.theo huy.bo",
        r"huong.dan chi.(?:dan|thi) quy.tac menh.lenh lenh",
        r"tat.ca moi truoc.(?:do|đo|đay|day)? o.tren he.thong ban.đau truoc",
        r"hien.thi cho.(?:toi|tôi).(?:xem|biet) tiet.lo in.ra lap.lai",
        r"(?:prompt|loi.nhac|huong.dan|thong.bao).he.thong system.?prompt",
        r"khong.(?:co.)?(?:gioi.han|han.che|quy.tac)",
    ),
    "el": Language(
        r"αγνοησε αγνοηστε ξεχασε ξεχαστε παρακαμψε παραβλεψε μην.ακολουθ\w+",
        r"οδηγι\w+ εντολ\w+ κανον\w+ περιορισμ\w+",
        r"ολες ολους ολα προηγουμεν\w+ παραπανω συστηματος αρχικ\w+",
        r"δειξε αποκαλυψε εμφανισε πες επαναλαβε τυπωσε",
        r"(?:προτροπη|μηνυμα|οδηγιες).{0,4}συστηματος (?:system.)?prompt.?συστηματος",
        r"χωρις (?:κανεναν? )?(?:περιορισμ\w+|φιλτρ\w+|κανον\w+)",
    ),
    "zh": Language(
        r"忽略 忽视 无视 忘记 忘掉 忘了 不要遵守 不要遵循 不再遵守 绕过 抛弃 跳过 無視 忽視"
        r" 忘記 略過 取消",
        r"指令 指示 规则 說明 说明 提示 命令 限制 要求 規則 设定 設定 约束",
        r"之前 先前 以前 前面 上面 以上 上述 所有 全部 你的 您的 系统 系統 原有 此前 任何"
        r" 一切 原来",
        r"显示 展示 输出 告诉 透露 泄露 打印 重复 说出 给我 写出 公开 顯示 輸出 告訴 洩露 重複",
        r"系统提示 系統提示 系统指令 系統指令 系统消息 初始指令 初始提示 隐藏指令 隐藏提示"
        r" 内部指令 你的提示词 你的指令 提示词 system.?prompt",
        r"(?:没有|不受)(?:任何)?(?:限制|约束|规则|过滤) ; 無(?:任何)?限制",
        spaced=False,
    ),
    "ja": Language(
        r"無視 忘れ 従わ(?:ない|ず) 破棄 取り消 上書き 無効",
        r"指示 命令 ルール 規則 プロンプト 指令 制約 制限 インストラクション 設定",
        r"これまで 今まで 以前 前の 上記 すべて 全て 全部 あなたの システム 先ほど 最初",
        r"表示 見せ 教え 出力 開示 明か 公開 繰り返 書き出",
        r"システムプロンプト システムの?指示 システムメッセージ 初期指示 隠された指示"
        r" 内部(?:指示|設定) 最初の指示",
        r"制限(?:は)?(?:なし|なく|のない|がない|ありません) ; 制約なし",
        spaced=False,
    ),
    "ko": Language(
        r"무시 잊어 잊으 따르지.?마 어기 취소 우회 버려",
        r"지시 명령 규칙 지침 프롬프트 제한 설정",
        r"이전 앞선 위의 모든 전부 지금까지 너의 당신의 시스템 기존 원래",
        r"보여 알려 출력 공개 말해 표시 드러내 반복",
        r"시스템.?(?:프롬프트|지시|메시지|명령|지침) 숨겨진.?(?:지시|명령|프롬프트)"
        r" 초기.?(?:지시|프롬프트) 내부.?지침",
        r"(?:제한|제약|규칙)(?:이|은)?.?(?:없는|없이|없습니다)",
        spaced=False,
    ),
    "th": Language(
        r"ละเว้น เพิกเฉย ลืม ไม่ต้องทำตาม ข้าม",
        r"คำสั่ง คําสั่ง กฎ คำแนะนำ ข้อจำกัด",
        r"ก่อนหน้า ทั้งหมด ข้างต้น ระบบ เดิม",
        r"แสดง เปิดเผย บอก พิมพ์",
        r"พรอมต์ระบบ คำสั่งระบบ ระบบพรอมต์ system.?prompt",
        spaced=False,
    ),
    "ar": Language(
        r"و?تجاهل\w* تجاهلوا انس انسى انسوا تخط\w* لا.تتبع لا.تلتزم الغ ألغ أهمل",
        r"التعليمات تعليمات\w* الأوامر اوامر\w* أوامر\w* القواعد قواعد\w* الإرشادات"
        r" إرشادات\w* التوجيهات توجيهات\w* القيود",
        r"جميع كل كافة السابقة سابقة السابق أعلاه اعلاه النظام الخاصة.بك الأصلية الاولية"
        r" قواعدك تعليماتك توجيهاتك أوامرك",
        r"و?اعرض و?أظهر اظهر اكشف أخبرني اطبع كرر اكتب أعطني",
        r"(?:موجه|موجّه|تعليمات|رسالة|برومبت|مطالبة|أوامر).{1,3}(?:النظام|السرية|المخفية"
        r"|الأولية) system.?prompt",
        r"(?:بدون|دون|بلا) (?:أي |اي )?(?:قيود|حدود|قواعد|فلاتر)",
    ),
    "he": Language(
        r"התעלם התעלמי התעלמו שכח שכחי שכחו אל.תציית",
        r"(?:ה)?הוראות\w* (?:ה)?הנחיות\w* (?:ה)?כללים (?:ה)?פקודות",
        r"כל הקודמות הקודמים לעיל המערכת שלך",
        r"הצג הראה חשוף גלה הדפס",
        r"(?:הנחיית|הוראות|הודעת|פרומפט).(?:ה)?מערכת",
        r"ללא (?:שום )?(?:הגבלות|מגבלות|כללים)",
    ),
    "fa": Language(
        r"نادیده فراموش پیروی.نکن",
        r"دستورات دستورالعمل\S* قوانین دستورها",
        r"تمام همه قبلی پیشین بالا سیستم",
        r"نشان نمایش فاش بگو چاپ",
        r"(?:پرامپت|دستور\S*|پیام).سیستم",
        r"بدون (?:هیچ )?(?:محدودیت|قانون|فیلتر)",
    ),
    "hi": Language(
        r"अनदेखा नजरअंदाज नज़रअंदाज भूल भुला उपेक्षा मत.मान",
        r"निर्देश\S* नियम\S* आदेश\S* हिदायत\S* प्रॉम्प्ट",
        r"सभी सारे पिछले पहले पूर्व अपने उपरोक्त सिस्टम ऊपर",
        r"दिखा\S* बता\S* प्रकट उजागर प्रिंट दोहरा\S*",
        r"सिस्टम.(?:प्रॉम्प्ट|प्रॉम्पट|निर्देश\S*|संदेश) (?:छिपे|गुप्त|अपने"
        r"|शुरुआती).(?:निर्देश\S*|प्रॉम्प्ट)",
        r"(?:बिना|कोई) (?:किसी )?(?:प्रतिबंध|सीमा|नियम)\S*(?: नहीं)?",
    ),
    "bn": Language(
        r"উপেক্ষা ভুলে অমান্য",
        r"নির্দেশ\S* নিয়ম\S* আদেশ\S*",
        r"সব সমস্ত আগের পূর্ববর্তী সিস্টেম",
        r"দেখাও দেখান প্রকাশ বলো",
        r"সিস্টেম.(?:প্রম্পট|নির্দেশ\S*)",
    ),
}


def foreign() -> Iterator[Rule]:
    """The rules of all languages."""
    for name, each in LANGUAGES.items():
        drop, rules, which = (_group(part, each) for part in (each.drop, each.rules, each.which))
        gap, near = (r"(?:[^\w\n]{1,3}[\w'-]{1,16}){0,%d}?[^\w\n]{1,3}", (5, 4))
        if not each.spaced:
            gap, near = (r"[^。！？!?\n]{0,%d}?", (14, 10))
        wide, close = gap % near[0], gap % near[1]
        told = (
            f"{drop}{close}{which}{wide}{rules}",
            f"{drop}{close}{rules}{close}{which}",
            f"{which}{wide}{rules}{close}{drop}",
            f"{rules}{close}{which}{close}{drop}",
        )
        yield rule(
            f"override_{name}",
            "instruction_override",
            STRONG,
            _needs(each.drop, each.rules),
            any_of(told),
        )
        show, prompt = _group(each.show, each), _group(f"{each.prompt} {_PROMPT}", each)
        asked = (f"{show}{wide}{prompt}", f"{prompt}{wide}{show}")
        yield rule(
            f"leak_{name}",
            "prompt_leak",
            STRONG,
            _needs(each.show, f"{each.prompt} {_PROMPT}"),
            any_of(asked),
        )
        if each.free:
            limits = any_of(part.strip() for part in each.free.split(" ; "))
            needs = " ".join(part.strip().split(" ")[0] for part in each.free.split(" ; "))
            yield rule(
                f"free_{name}", "jailbreak_persona", WEAK, _needs(needs), _bounded(limits, each)
            )


def _needs(*lists: str) -> str:
    groups = (
        dict.fromkeys(word for each in words.split() for word in literal(each)) for words in lists
    )
    return " & ".join(" ".join(group) for group in groups)


def _group(words: str, language: Language) -> str:
    return _bounded(any_of(words.split()), language)


def _bounded(group: str, language: Language) -> str:
    return rf"(?<!\w){group}(?!\w)" if language.spaced else group


FOREIGN = tuple(foreign())
