"""Words around the names of people, by language: patterns, as alternatives of one another."""

from __future__ import annotations

# Stand before a name and are no part of it.
TITLE = (
    r"Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Professor|Doctor|Sir|Lady|Madam|Rev|Capt|Sgt|Lt|Hon|Mme|Mlle|"
    r"Monsieur|Madame|Mademoiselle|Maître|MM|Herrn|Herr|Frau|Hr|Fr|Dipl\.-Ing|Ing|Señora|"
    r"Señor|Señorita|Sra|Sr|Srta|Don|Doña|Sig\.ra|Sig|Signora|Signor|Dott\.ssa|Dott|Avv|Dhr|"
    r"Mevr|Mevrouw|Meneer|de heer|mevrouw|Drs|Pana|Panu|Panią|Pani|Pan|Senhora|Senhor|Dona|"
    r"Fru|Herra|Rouva|Pán|Paní|Doamna|Domnul|M(?=\.)|Panie|panie|panią|pani|pana|pan|"
    r"monsieur|madame|señora|señor|signora|signore|signor|senhora|senhor|doña|dona"
)
# Said before one's own name.
SAID = (
    r"my name is|my name's|name is|i am called|called me|mein name ist|ich hei(?:ß|ss)e|"
    r"ich bin|je m'appelle|mon nom est|je suis|me llamo|mi nombre es|soy|mi chiamo|"
    r"il mio nome è|sono|mijn naam is|ik heet|ik ben|nazywam się|mam na imię|z tej strony|"
    r"jestem|meu nome é|me chamo|chamo-me|o meu nome é|sou (?:o|a)|jag heter|mitt namn är|"
    r"jeg hedder|jeg heter|mit navn er|mitt navn er|nimeni on|olen|jmenuji se|jmenuju se|"
    r"numele meu este|mă numesc|a nevem|benim adım|adım|меня зовут|мене звати|με λένε|i am|"
    r"i'm|this is|it's|here is|hier ist|hier spricht|signed by|regards from|aqui é(?: o| a)?|"
    r"met"
)
# Labels before a name.
LABEL = (
    r""
    r"(?:full |first |last |customer |contact |user |account |card ?holder |cardholder's |patient |"
    r"employee |client |"
    r"recipient |sender )?name|"
    r"cardholder|card holder|account holder|recipient|attn|attention|customer|"
    r"contact(?: person)?|patient|employee|client|from|kunde|kundin|empfänger|"
    r"kontoinhaber(?:in)?|ansprechpartner(?:in)?|vor- und nachname|nachname|vorname|"
    r"nom(?: complet)?|prénom|titulaire|destinataire|nombre(?: completo)?|apellidos?|titular|"
    r"destinatario|cliente|nome(?: completo| e cognome)?|cognome|intestatario|intestatária|"
    r"naam|contactpersoon|klant|rekeninghouder|imię i nazwisko|imię|nazwisko|klient(?:ka)?|"
    r"odbiorca|namn|kontaktperson|mottagare|kund|navn|nimi|jméno|nume|név|ad soyad|имя|фио|"
    r"клиент|όνομα"
)
# Begin a letter.
GREETING = (
    r"dear|hi|hello|hey|good (?:morning|afternoon|evening)|hallo|liebe[rs]?|sehr geehrte[rs]?|"
    r"guten (?:tag|morgen)|servus|moin|bonjour|bonsoir|salut|cher|chère|hola|estimad[oa]|"
    r"querid[oa]|buenos días|buenas tardes|caro|cara|gentile|buongiorno|ciao|beste|geachte|"
    r"goedendag|dag|hoi|drogi|droga|szanown[ya]|cześć|witaj|dzień dobry|olá|oi|prezad[oa]|"
    r"bom dia|boa tarde|hej|kära|käre|bäste|god dag|kjære|kære|hyvä|terve|ahoj|dobrý den|"
    r"dragă|merhaba|sayın|привет|здравствуйте|уважаем(?:ый|ая)|αγαπητ[έή]"
)
# End a letter.
CLOSING = (
    r"(?:(?:best|kind|warm|many|with kind) )?regards|best wishes|all the best|"
    r"sincerely(?: yours)?|yours (?:sincerely|truly|faithfully)|"
    r"thanks(?: a lot| again| in advance)?|thank you|many thanks|cheers|cordially|"
    r"respectfully|best|"
    r"(?:mit )?(?:freundlichen?|besten?|vielen?|lieben?|herzlichen?) grü(?:ß|ss)en?|mfg|"
    r"vielen dank|danke|cordialement|bien à vous|salutations(?: distinguées)?|"
    r"merci(?: d'avance| beaucoup)?|bien cordialement|"
    r"(?:un )?(?:cordial )?saludos?(?: cordiales)?|atentamente|gracias|un abrazo|"
    r"(?:cordiali|distinti) saluti|grazie(?: mille)?|saluti|"
    r"(?:met )?vriendelijke groet(?:en)?|groet(?:en|jes)?|alvast bedankt|bedankt|mvg|"
    r"pozdrawiam(?: serdecznie)?|z poważaniem|dziękuję|atenciosamente|abraços?|obrigad[oa]|"
    r"cumprimentos|com os melhores cumprimentos|(?:med )?vänlig(?:a)? hälsning(?:ar)?|"
    r"hälsningar|mvh|tack(?: på förhand)?|(?:med )?venlig hilsen|(?:med )?vennlig hilsen|"
    r"ystävällisin terveisin|terveisin|s pozdravem|cu stima|üdvözlettel|saygılarımla|"
    r"с уважением|спасибо"
)
# Stand with a capital letter where a name could, and are none.
_CAPITALS = """
A Account European Address Admin Administrator Again All Amazon American An And Android Apple April
Assistenza At Atención Atendimento August Avenue Billing Bitte Bonjour British But Client
Cliente Colleague Colleagues Company Customer Damen Dank Danke Das Date De Dear Debug December
Den Der Desk Det Die Drive Dutch Dziękuję Een Ein Eine El Email English Equipe Equipo Error
Everyone Facebook False Fax February Folks For French Friday Friend Friends From Fwd German Gli
GmbH Google Gracias Grazie Guten Guys Heer Hej Hello Help Herren Het Hi How I Ich If Ihr Ihre Ik
Il In Inc Info Invoice It Italian Jag January July June Klantenservice Kunde Kundenservice
Kundin Kundtjänst LLC La Lane Las Le Les Linux Lo Los Ltd Madam Madame Mail March Mastercard May
Member Merci Mevrouw Microsoft Monday Monsieur My Name No None Not November Null Number OK
Obrigado October Ok On Order Our Pani Panie PayPal Paypal Państwo Phone Please Polish Prezados
Re Road Sales Saturday Senhores September Service Servicio Servizio Señor Señora Señores Sie Sir
Spanish Street Subject Sunday Suporte Support Tack Team Tel Thank Thanks That The There This
Thursday Ticket True Tuesday Un Une Unknown User Users Valued Vielen Visa Warning We Wednesday
What When Where Who Why Windows Wir World Yes You Your Zespół Zusammen Équipe
"""
NO_NAME = frozenset(_CAPITALS.split())
