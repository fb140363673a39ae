"""Words that name a street, before or behind its name, by language."""

from __future__ import annotations

# Behind a name, in English; the number stands before it.
_ENGLISH = """
Alley Annex Arcade Avenue Ave Bayou Beach Bend Bluff Bluffs Bottom Boulevard Blvd Branch Bridge
Brook Brooks Burg Burgs Bypass Camp Canyon Cape Causeway Center Centers Circle Circles Cliff
Cliffs Close Club Common Commons Corner Corners Course Court Courts Cove Coves Creek Crescent
Crest Crossing Crossroad Curve Dale Dam Divide Drive Drives Dr Estate Estates Expressway
Extension Extensions Fall Falls Ferry Field Fields Flat Flats Ford Fords Forest Forge Forges
Fork Forks Fort Freeway Garden Gardens Gateway Glen Glens Green Greens Grove Groves Harbor
Harbors Haven Heights Highway Hwy Hill Hills Hollow Inlet Island Islands Isle Junction Junctions
Key Keys Knoll Knolls Lake Lakes Land Landing Lane Light Lights Loaf Lock Locks Lodge Loop Mall
Manor Manors Meadow Meadows Mews Mill Mills Mission Motorway Mount Mountain Mountains Neck
Orchard Oval Overpass Park Parks Parkway Parkways Pass Passage Path Pike Pine Pines Place Plain
Plains Plaza Point Points Port Ports Prairie Radial Ramp Ranch Rapid Rapids Rest Ridge Ridges
River Road Rd Roads Route Row Run Shoal Shoals Shore Shores Skyway Spring Springs Spur Spurs
Square Squares Station Stravenue Stream Street St Streets Summit Terrace Throughway Trace Track
Trafficway Trail Tunnel Turnpike Underpass Union Unions Valley Valleys Viaduct View Views
Village Villages Ville Vista Walk Walks Wall Way Ways Well Wells
"""
ENGLISH = tuple(_ENGLISH.split())
# Those of them that stand behind a number and a name in other texts as often.
_DOUBTFUL = """
Branch Camp Center Centers Club Common Corner Course Dam Extension Extensions Fall Falls Field
Fields Ford Key Keys Land Light Lights Lock Locks Loop Mission Pass Path Plain Plains Point
Points Port Ports Ramp Rest Run Station Stream Trace Track Union Unions View Views Wall Way Well
Wells
"""
DOUBTFUL = frozenset(_DOUBTFUL.split())
# Before a name, with the number before them, in French.
FRENCH = (
    *("rue", "avenue", "boulevard", "bd", "place", "chemin", "allée", "impasse", "quai", "route"),
    *("cours", "square", "passage"),
)
# Before a name, with the number behind it, in Spanish, Italian and Portuguese.
_SOUTHERN = """
Calle C/ Avenida Avda. Av. Plaza Paseo Ronda Camino Rambla Glorieta Cuesta Alameda Pasaje
Pasadizo Acceso Urbanización Vial Callejón Cañada Via Vía Viale Vicolo Piazza Corso Largo Strada
Contrada Borgo Rotonda Incrocio Stretto Canale Piazzale Rua R. Travessa Praça Rodovia Estrada
Ladeira Viela Jardim Vila Conjunto Quadra Lago Parque Recanto Setor Trecho Vale Viaduto
Loteamento Núcleo Morro Favela Estação Distrito Condomínio Chácara Campo Aeroporto Área Fazenda
Feira Lagoa Passarela Residencial Sítio Esplanada Colônia
"""
SOUTHERN = tuple(_SOUTHERN.split())
# At the end of a name that is one word, or two; the number follows.
_GERMANIC = """
straße strasse str. weg platz allee gasse ring ufer damm chaussee straat laan plein gracht kade
singel dreef hof pad steeg dijk baan plantsoen gatan gata vägen väg gränd gränden torget stigen
backen allén gade vej veien vegen veg katu tie
"""
GERMANIC = tuple(_GERMANIC.split())
POLISH = ("ul.", "al.", "pl.", "os.", "aleja", "alei", "ulica", "ulicy", "plac", "placu", "aleje")
RUSSIAN = ("ул.", "пр.", "просп.", "пер.", "наб.", "улица", "улице", "проспект")
_LINKS = """
de da do dos das del della delle dei degli di la las los le les du des von van der den het am an
im of the y e san
"""
LINKS = tuple(_LINKS.split())
