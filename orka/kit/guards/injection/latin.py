"""Languages that are written in Latin letters: what an attack says in them. Stems, in small letters
and without accents."""

from __future__ import annotations

from orka.kit.guards.injection.language import Language

LATIN: dict[str, Language] = {
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
    "ca": Language(
        r"ignor(?:a|eu|i|ar) oblid(?:a|eu|ar) descart(?:a|eu) no.segueixis no.facis.cas",
        r"instruccions indicacions directrius regles ordres normes restriccions",
        r"tot(?:es|s) teves anteriors? previes inicials del.sistema rebudes",
        r"mostra(?:m)? revela(?:m)? digue(?:s|m) imprimeix repeteix escriu",
        r"(?:prompt|missatge|instruccions).{1,5}(?:sistema|inicials?|ocultes|secretes)",
        r"sense (?:cap )?(?:restriccio|restriccions|limits|filtres?|regles)",
    ),
    "da": Language(
        r"ignorer(?:e)? glem(?:me)? tilsidesæt tilsidesaet se.bort.fra folg.ikke følg.ikke overse"
        r" overhør omga omgå",
        r"instruktion(?:er|erne)? instruks(?:er|ene|joner|jonene)? regler(?:ne)? regl(?:er|ene)"
        r" anvisning(?:er|erne|ene)? retningslinjer(?:ne)? ordrer beskeder direktiver(?:ne)?"
        r" begrænsninger kommandoer",
        r"alle dine din tidligere foregaende forrige ovenstaende ovenfor oprindelige opprinnelige"
        r" forudgaende system\w*",
        r"vis afslor afslør avslor avslør fortæl fortael fortell gengiv udskriv skriv gentag gjenta"
        r" giv gi del",
        r"system.?prompt(?:en)? systeminstruk\w+ systembesked(?:en)? systemmelding(?:en)?"
        r" (?:dine|din|skjulte|hemmelige).(?:prompt|instruk\w+|konfigura\w+)",
        r"(?:uden|uten) (?:nogen |noen )?(?:begrænsninger|begrensninger|filtre|regler)",
    ),
    "fi": Language(
        r"unohda\w* ohita\w* jata.huomiotta jätä.huomiotta sivuuta\w* hylkaa hylkää"
        r" ala.(?:noudata|valita)\w* hyppaa.yli",
        r"ohje\w* kasky\w* komento\w* komenno\w* saann\w+ saanto\w* määräy\w* maaray\w*"
        r" rajoitu\w*",
        r"kaikki kaikkia aiem\w+ edelli\w+ aikaisem\w+ edella yllä ylla jarjestelm\w*"
        r" alkuperai\w+ sinun saamasi",
        r"nayta\w* paljasta\w* kerro\w* tulosta\w* toista kirjoita",
        r"jarjestelma.?(?:kehot\w*|ohje\w*|viesti\w*) system.?prompt\w*"
        r" (?:piilotetu\w+|salai\w+|alkuperai\w+).(?:ohje\w*|kehot\w*)",
        r"ilman (?:mitaan )?(?:rajoituksia|saantoja|suodattimia)",
    ),
    "et": Language(
        r"eira(?:ge)? unusta(?:ge)? ara.jargi jata.tahelepanuta",
        r"juhis\w* korraldus\w* reegl\w* kask\w* piirangu\w*",
        r"koik\w* eelnev\w* eelmis\w* varasema\w* ulaltoodud susteemi\w*",
        r"naita avalda kuva utle prindi korda",
        r"susteemi.?(?:viip\w*|juhis\w*|prompt\w*)",
        r"ilma (?:igasuguste )?(?:piiranguteta|reegliteta)",
    ),
    "lt": Language(
        r"ignoruok(?:ite)? pamirsk(?:ite)? nepaisyk(?:ite)? nesilaikyk",
        r"instrukcij\w* nurodym\w* taisykl\w* komand\w* apribojim\w*",
        r"vis\w{1,3} ankstesn\w* pries\w* sistem\w* pradin\w* auksciau",
        r"parodyk(?:ite)? atskleisk(?:ite)? pasakyk isvesk pakartok",
        r"sistem(?:os|in\w+).(?:uzklaus\w*|instrukcij\w*|raginim\w*|prompt\w*)",
        r"be (?:jokiu )?(?:apribojimu|taisykliu|filtru)",
    ),
    "lv": Language(
        r"ignore(?:|jiet) ignorē(?:jiet)? aizmirsti(?:et)? neievero(?:jiet)?",
        r"instrukcij\w* noradijum\w* noteikum\w* komand\w* ierobezojum\w*",
        r"vis\w{1,3} ieprieks\w* agrak\w* sistem\w* sakotnej\w*",
        r"paradi(?:et)? atklaj(?:iet)? pasaki izdruka atkarto",
        r"sistemas.(?:uzved\w*|instrukcij\w*|prompt\w*)",
        r"bez (?:jebkadiem )?(?:ierobezojumiem|noteikumiem|filtriem)",
    ),
    "hu": Language(
        r"hagyd(?:\W{1,3}\w{1,12}){0,3}\W{1,3}figyelmen.kivul figyelmen.kivul hagyja.figyelmen"
        r" felejtsd(?:.el)? felejtse(?:.el)? ne.(?:kovesd|vedd.figyelembe)"
        r" mell[oő]zd ignorald",
        r"utasitas\w* szabaly\w* parancs\w* iranyelv\w* utmutat\w* korlatozas\w* instrukcio\w*",
        r"osszes minden korabbi elozo eddigi fenti eredeti rendszer\w* megadott",
        r"mutasd mutassa aruld(?:.el)? fedd(?:.fel)? ird(?:.ki)? mondd ismeteld nyomtasd",
        r"rendszer.?(?:prompt\w*|utasitas\w*|uzenet\w*) system.?prompt\w*"
        r" (?:rejtett|titkos|kezdeti).(?:utasitas\w*|prompt\w*)",
        r"(?:korlatozas\w*|szabalyok|szurok) nelkul",
    ),
    "hr": Language(
        r"ignori[sr]i(?:te)? ignoriraj(?:te)? zanemari(?:te)? zaboravi(?:te)? pozabi(?:te)?"
        r" prezri(?:te)? ne.(?:sledi|slijedi|postuj|upostevaj)(?:te)?"
        r" preskoci(?:te)? odbaci(?:te)?",
        r"uputstv\w* uput\w{1,3} instrukcij\w* naredb\w* pravil\w* navodil\w* smernic\w*"
        r" smjernic\w* ogranicenj\w* ukaz\w* zapoved\w*",
        r"sv[aei] sve vs[aei] prethodn\w* prejsnj\w* ranij\w* dosadasnj\w* gornj\w* navedene"
        r" sistemsk\w* sustavsk\w* sustava sistema pocetn\w* svoj\w* tvoj\w*",
        r"prikazi(?:te)? pokazi(?:te)? otkrij(?:te)? razkrij(?:te)? ispisi(?:te)? izpisi(?:te)?"
        r" ponovi(?:te)? reci izpis",
        r"sistemsk\w+.(?:prompt\w*|upit\w*|poruk\w*|uputstv\w*|poziv\w*|navodil\w*)"
        r" (?:prompt|upit|uput\w*).(?:sustava|sistema)"
        r" (?:svoje|tvoje|skriven\w*|tajn\w*).(?:uput\w*|instrukcij\w*|navodil\w*|prompt\w*)",
        r"bez (?:ikakvih |kakrsnih koli )?(?:ogranicenja|omejitev|pravila|filtera)",
    ),
    "sk": Language(
        r"ignoruj(?:te)? zabudni(?:te)? nedodrziavaj preskoc obid",
        r"instrukci\w* pokyn\w* pravidl\w* prikaz\w* obmedzeni\w*",
        r"vsetk\w+ predchadzajuc\w+ predosl\w+ predtym vyssie svoje systemov\w+",
        r"ukaz zobraz prezrad odhal vypis napis zopakuj",
        r"systemov\w+.(?:prompt\w*|pokyn\w*|instrukci\w*|sprav\w*)",
        r"bez (?:akychkolvek )?(?:obmedzeni|filtrov|pravidiel)",
    ),
    "sw": Language(
        r"puuz(?:a|eni|ia) sahau usifuate usizingatie achana.na",
        r"maagizo maelekezo amri kanuni sheria",
        r"yote zote awali yaliyotangulia zilizotangulia hapo.juu mfumo ya.kwanza yako",
        r"onyesha nionyeshe fichua toa sema chapisha rudia",
        r"(?:maagizo|maelekezo|ujumbe|kidokezo|prompt).ya.(?:mfumo|siri|awali)",
        r"bila (?:vikwazo|mipaka|sheria)",
    ),
    "tl": Language(
        r"huwag.(?:mong.)?(?:pansinin|sundin) balewalain kalimutan ipagwalang.bahala",
        r"tagubilin utos panuto patakaran alituntunin instruksiyon instruksyon",
        r"lahat nauna\w* nakaraan\w* itaas sistema orihinal mo iyong",
        r"ipakita ibunyag sabihin ilabas ulitin i-print",
        r"system.?prompt (?:nakatagong|lihim.na).(?:tagubilin|utos) prompt.ng.(?:system|sistema)",
        r"walang (?:anumang )?(?:limitasyon|paghihigpit|patakaran)",
    ),
    "ms": Language(
        r"abaikan lupakan jangan.(?:ikut|patuhi) ketepikan",
        r"arahan peraturan perintah panduan sekatan",
        r"semua sebelum(?:nya|.ini)? terdahulu di.atas sistem asal anda",
        r"tunjukkan paparkan dedahkan cetak ulang beritahu",
        r"(?:gesaan|arahan|mesej|prompt).(?:sistem|asal|rahsia|tersembunyi)",
        r"tanpa (?:sebarang )?(?:sekatan|had|peraturan)",
    ),
}
