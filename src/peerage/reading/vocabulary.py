"""What names say, in English, German, French and Spanish: which column is which, and which end is best."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from peerage._options import named_column
from peerage.feedback.arrays import LONGEST

# English, German, French, Spanish; small letters, without blanks, signs and accents
SYNONYMS: dict[str, tuple[str, ...]] = {
    "grader": (
        "reviewer", "student", "worker", "assessor", "rater", "judge", "evaluator", "voter", "annotator",
        "marker", "user", "participant", "respondent", "reader", "reviewedby", "gradedby", "bewerter",
        "bewerterin", "bewertende", "gutachter", "gutachterin", "begutachter", "prufer", "pruefer",
        "beurteiler", "juror", "korrektor", "studierende", "studierender", "studentin", "schuler",
        "teilnehmer", "evaluateur", "evaluatrice", "correcteur", "correctrice", "relecteur", "relectrice",
        "etudiant", "etudiante", "eleve", "juge", "evaluador", "evaluadora", "revisor", "revisora",
        "estudiante", "alumno", "alumna", "juez",
    ),
    "item": (
        "submission", "paper", "essay", "project", "document", "work", "report", "poster", "script",
        "text", "candidate", "alternative", "object", "proposal", "manuscript", "abstract", "answer",
        "solution", "passage", "gradee", "reviewee", "assessee", "presentation", "design", "arbeit",
        "abgabe", "einreichung", "projekt", "aufsatz", "plakat", "beitrag", "dokument", "bericht",
        "losung", "entwurf", "bewertetearbeit", "travail", "copie", "rendu", "devoir", "projet",
        "affiche", "soumission", "rapport", "texte", "trabajo", "entrega", "proyecto", "cartel", "ensayo",
        "texto", "informe",
    ),
    "score": (
        "grade", "mark", "points", "rating", "overallrating", "overallscore", "totalscore", "totalpoints",
        "overallgrade", "overallmark", "overallmerit", "appreciation", "mention", "beurteilung", "stars",
        "pts", "punkte", "punktzahl",
        "punktezahl", "gesamtpunkte", "bewertung", "note", "sterne", "etoiles", "notation", "evaluation",
        "nota", "puntos", "puntuacion", "puntaje", "calificacion", "estrellas", "valoracion",
    ),
    "rank": (
        "place", "ranking", "placement", "placing", "standing", "rang", "platz", "platzierung",
        "rangplatz", "classement", "puesto", "clasificacion",
    ),
    "order": ("ranking", "rankorder", "preferences", "rangfolge", "reihung", "classement", "clasificacion"),
    "task": (
        "assignment", "exercise", "question", "criterion", "aufgabe", "ubung", "exercice", "epreuve",
        "tarea", "ejercicio", "round", "runde",
    ),
    "list": ("ballot", "comparison"),
    "weight": ("count", "multiplicity", "gewicht", "poids", "peso"),
    # when the grader saw the item; a plain `Position` is a rank in many files, and is not taken for it
    "shown": (
        "shownposition", "positionshown", "shownorder", "ordershown", "shownas", "displayorder",
        "displayposition", "presentationorder", "presentationposition", "presentedorder", "orderpresented",
        "positionpresented", "presented", "displayed", "anzeigereihenfolge", "anzeigeposition", "angezeigt",
        "ordredaffichage", "positionaffichee", "ordendepresentacion", "mostrado",
    ),
    "left": (
        "leftitem", "itema", "modela", "item1", "model1", "optiona", "option1", "candidatea", "first",
        "firstitem", "a", "links", "gauche", "izquierda",
    ),
    "right": (
        "rightitem", "itemb", "modelb", "item2", "model2", "optionb", "option2", "candidateb", "second",
        "seconditem", "b", "rechts", "droite", "derecha",
    ),
    "winner": (
        "label", "preference", "preferred", "choice", "chosen", "result", "outcome", "vote", "better",
        "gewinner", "sieger", "besser", "gagnant", "vainqueur", "ganador",
    ),
    "top": (
        "topitem", "winner", "better", "preferred", "chosen", "winneritem", "gewinner", "gagnant",
        "ganador",
    ),
    "bottom": (
        "bottomitem", "loser", "worse", "rejected", "loseritem", "weaker", "verlierer", "schlechter",
        "perdant", "perdedor",
    ),
}  # fmt: skip
# what may be meant where nothing better is there: people and groups are reviewers here and reviewed there
WEAK: dict[str, tuple[str, ...]] = {
    "grader": ("name", "who", "person", "from", "by", "von", "de", "email", "emailaddress", "username"),
    "item": (
        "team", "group", "author", "owner", "title", "gruppe", "autor", "equipe", "groupe", "auteur",
        "equipo", "grupo", "presenter", "about", "for", "to",
    ),
}  # fmt: skip
# columns that say nothing about the order
ASIDE = frozenset((
    "timestamp", "zeitstempel", "horodateur", "marcatemporal", "date", "datum", "fecha", "time", "zeit",
    "hora", "heure", "starttime", "completiontime", "email", "emailaddress", "mail", "emailadresse",
    "comment", "comments", "kommentar", "kommentare", "commentaire", "commentaires", "comentario",
    "comentarios", "feedback", "remark", "remarks", "bemerkung", "bemerkungen", "anmerkung",
    "anmerkungen", "remarque", "remarques", "notes", "observaciones", "justification", "begrundung",
    "reason", "reasons", "why", "section", "sektion", "seccion", "tutorial", "course", "kurs", "cours",
    "curso", "class", "klasse", "classe", "clase", "hours", "stunden", "heures", "horas", "minutes",
    "duration", "dauer", "duree", "duracion", "confidence", "konfidenz", "sicherheit", "confiance",
    "confianza", "title", "titel", "titre", "titulo", "firstname", "lastname", "vorname", "nachname",
    "prenom", "nom", "nombre", "apellido", "apellidos", "surname", "givenname", "familyname",
    "studentid", "studentnumber", "matrikelnummer", "matriculation", "id", "number", "nr", "no", "ip",
    "ipaddress", "language", "browser", "status", "semester", "year", "jahr", "word", "words",
    "wordcount", "pages", "seiten", "experience", "age", "gender", "group", "gruppe", "team",
))  # fmt: skip
# the last question of many a form: `Any comments?`, `Weitere Anmerkungen`
_REMARKS = re.compile(
    r"(?:(?:any|other|your|further|additional|general|final|optional|weitere|sonstige|ihre|deine|autres|vos|otros|sus)"
    r"\s+){1,2}(?:comments?|remarks?|thoughts|kommentare?|anmerkungen|bemerkungen|commentaires|remarques|comentarios)"
)
# rows and columns that sum others up
TOTALS = frozenset((
    "total", "totals", "sum", "average", "avg", "mean", "median", "count", "maximum",
    "minimum", "sd", "std", "stddev", "stdev", "summe", "gesamt", "durchschnitt", "mittelwert",
    "mittel", "schnitt", "anzahl", "moyenne", "somme", "promedio", "media", "suma", "averagescore",
    "averagerank", "meanscore", "meanrank", "totalscore", "totalpoints", "overall", "reviews",
    "bewertungen", "pointspossible", "standarddeviation",
))  # fmt: skip
# places, in columns that are named after them and in cells; small letters, without accents
_ORDINALS = (
    ("first", "erste", "erster", "erstes", "premier", "premiere", "primer", "primera", "primero"),
    ("second", "zweite", "zweiter", "zweites", "deuxieme", "segundo", "segunda"),
    ("third", "dritte", "dritter", "drittes", "troisieme", "tercer", "tercera", "tercero"),
    ("fourth", "vierte", "vierter", "viertes", "quatrieme", "cuarto", "cuarta"),
    ("fifth", "funfte", "funfter", "funftes", "cinquieme", "quinto", "quinta"),
    ("sixth", "sechste", "sixieme", "sexto"), ("seventh", "siebte", "septieme", "septimo"),
    ("eighth", "achte", "huitieme", "octavo"), ("ninth", "neunte", "neuvieme", "noveno"),
    ("tenth", "zehnte", "dixieme", "decimo"),
)  # fmt: skip
PLACE_OF_ORDINAL = {word: place for place, words in enumerate(_ORDINALS, start=1) for word in words}
PLACE_WORDS = (
    "rank|ranking|ranked|place|choice|preference|pick|priority|top|platz|rang|wahl|prioritat|choix|puesto|"
    "lugar|opcion"
)
_EXACT, _SYNONYM, _DESCRIBED, _WEAK = range(4)
_IDS, _DESCRIPTIONS = ("id", "ids"), ("name", "number", "no", "email", "code")


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """What people call the columns of one kind of table.

    Attributes
    ----------
    words : role to its other names, lower case and without blanks and signs.
    ranked : whether a name takes precedence over those after it, and all of them over names with an `id` or
        `name` at their end; otherwise two columns that both suit a role are an error.
    nameable : whether whoever reads the file can say which column plays a role.
    """

    words: Mapping[str, tuple[str, ...]]
    ranked: bool = False
    nameable: bool = False

    def level(self, name: str, role: str) -> int | None:
        """How well a column's name suits a role, 0 best; None where it does not."""
        if len(name) > LONGEST:  # a text, and thousands of them would take minutes
            return None
        word = plain_name(name)
        if word == role:
            return _EXACT
        if not self.ranked:
            level = self._plain_level(word, role)
            level = level if level is not None else self._bare_level(name, role)
            return _WEAK if level is None and self.nameable and word in WEAK.get(role, ()) else level
        return _precedence(self, role).get(word)

    def _plain_level(self, word: str, role: str) -> int | None:
        if word in self.words[role]:
            return _SYNONYM
        for level, tails in ((_SYNONYM, _IDS), (_DESCRIBED, _DESCRIPTIONS)):
            for tail in tails:
                stem = word.removesuffix(tail)
                if stem != word and (stem == role or stem in self.words[role]):
                    return level
        return None

    def _bare_level(self, name: str, role: str) -> int | None:
        """Of a name without what it explains: `Placement (1 = best)`, `Score out of 10`, `Points /20`."""
        if role in _ENDS and unclear_remark(name):
            return None
        bare = bare_name(name) or plain_name(_EXPLAINED.sub(" ", name))
        return _DESCRIBED if bare == role or (bare and self._plain_level(bare, role) is not None) else None

    def advice(self, verb: str, role: str, name: str | None = None) -> str:
        """How to say which column plays the role: this one, or one still to be named."""
        return f"{verb} {named_column(role, name)}" if self.nameable else f"call it {role!r}"


_EXPLAINED = re.compile(
    r"(?:\bout\s+of|\bof|\bvon|\bsur|\bde|\bmax\.?|/)\s*\d+\b|\b\d+\s*(?:-|–|\bto\b|\bbis\b|\ba\b)\s*\d+\b|%",
    re.IGNORECASE,
)
_ENDS = ("winner", "top", "bottom")  # a remark can turn them round: `choice (which one should be dropped)`
# remarks that turn nothing round, beside ranges, numbers and the words for ranks and scores
_HARMLESS = frozenset((
    "required", "optional", "mandatory", "max", "maximum", "min", "minimum", "total", "overall", "possible",
    "out", "of", "from", "to", "scale", "whole", "number", "numbers", "integer", "integers", "your", "peer",
    "pflicht", "pflichtfeld", "gesamt", "von", "bis", "skala", "sur", "obligatoire", "de", "a",
    "obligatorio",
))  # fmt: skip


@cache
def _precedence(words: Vocabulary, role: str) -> dict[str, int]:
    """Every name that suits a role, and how many are better."""
    names = (role, *words.words[role])
    suitable = (*names, *(name + tail for tail in (*_IDS, *_DESCRIPTIONS) for name in names))
    return {name: suitable.index(name) for name in suitable}


FEEDBACK = Vocabulary(SYNONYMS, nameable=True)


def is_aside(name: str) -> bool:
    """Whether a column of this name says nothing about the order, or sums others up."""
    plain = plain_name(name) in ASIDE or is_total(name) or bare_name(name) in ASIDE
    return plain or bool(_REMARKS.fullmatch(fold(name).rstrip(" ?:.")))


def suits_role(name: str, role: str) -> bool:
    """Whether a column of this name may play the role."""
    return FEEDBACK.level(name, role) is not None


def is_weak(name: str, role: str) -> bool:
    """Whether a column of this name only may play the role."""
    return FEEDBACK.level(name, role) == _WEAK


def is_total(label: str) -> bool:
    """Whether a row or a column of this name sums others up."""
    return plain_name(label) in TOTALS


def bare_name(name: str) -> str:
    """A name without what stands in brackets; nothing where there are none."""
    return plain_name(re.sub(r"[\[(][^\[\]()]*[\])]", " ", name)) if "(" in name or "[" in name else ""


def unclear_remark(name: str) -> str:
    """What a name says in brackets, where nobody knows whether it turns the numbers round."""
    for remark in re.findall(r"[\[(][^\[\]()]*[\])]", name):
        rest = _EXPLAINED.sub(" ", fold(remark[1:-1]))
        words = re.findall(r"[^\W\d_]+", rest)
        if "=" in rest or not _HARMLESS.union(_RANKS, _SCORES).issuperset(words):
            return str(remark)
    return ""


@lru_cache(maxsize=50_000)
def plain_name(name: str) -> str:
    """In small letters, without accents, blanks and signs."""
    plain = name if name.isascii() else unicodedata.normalize("NFKD", name).replace("ß", "ss")
    return re.sub(
        r"[\W_]+", "", plain.encode("ascii", "ignore").decode() if _is_latin(name) else plain
    ).lower()


def _is_latin(name: str) -> bool:
    return all(ord(sign) < 0x250 for sign in name)


def is_number(text: str | None) -> bool:
    """Whether a cell or a name is a number, with a point or a comma."""
    return bool(re.fullmatch(r"[+-]?\d+([.,]\d+)?", text or ""))


def fold(name: str) -> str:
    """In small letters, without accents, with single blanks."""
    plain = "".join(
        sign for sign in unicodedata.normalize("NFKD", name.lower()) if not unicodedata.combining(sign)
    )
    return " ".join(plain.replace("_", " ").split())


# -- which end is best, as far as names say it --------------------------------------------------------------

Best = Literal["low", "high"]
_RANKS = frozenset((
    "rank", "ranks", "rankings", "ranked", "rangs", "preference", "praferenz", "classe", "preferencia",
    *SYNONYMS["rank"], *SYNONYMS["order"],
))  # fmt: skip
_GRADES = frozenset((
    "grade", "grades", "mark", "marks", "note", "noten", "nota", "notas", "zensur", "zensuren",
    "calificacion",
))  # fmt: skip
_SCORES = frozenset((
    "score", "scores", "scoring", "ratings", "rate", "rated", "point", "star", "percent", "percentage",
    "gpa", "punkt", "prozent", "bewertungen", "etoile", "pourcentage", "punto", "porcentaje",
    "evaluacion", *_GRADES, *SYNONYMS["score"],
))  # fmt: skip
_GOOD = (
    r"(?:very\s+good|most\s+preferred|most\s+liked|best|better|top|highest|excellent|outstanding|strongest|"
    r"favou?rite|great|superb|perfect|winner|first\s+place|beste[rsnm]?|sehr\s+gut|ausgezeichnet|hervorragend|"
    r"meilleure?s?|tres\s+bon|mejor(?:es)?|muy\s+buen[oa]|excelente)"
)
_BAD = (
    r"(?:very\s+(?:poor|bad|weak)|least\s+preferred|least\s+liked|worst|lowest|poor|weakest|terrible|awful|bad|"
    r"inadequate|unacceptable|last\s+place|fail|schlechteste[rsnm]?|ungenugend|mangelhaft|sehr\s+schlecht|pires?|"
    r"moins\s+bon(?:ne)?s?|mauvais|peor(?:es)?|mal[oa]|deficiente)"
)
_IS = (
    r"\s*(?:=|:|\(|-|–|—|->|→|\bis\b|\bbeing\b|\bmeans\b|\bfor\b|\bas\b|\bist\b|\best\b|\bes\b)?"
    r"\s*(?:the\s+|am\s+|le\s+|la\s+|el\s+)?"
)
_NUMBER_FIRST = re.compile(rf"(?<![\w.])(\d+)(?:st\b)?{_IS}({_GOOD}|{_BAD})\b")
_WORD_FIRST = re.compile(rf"\b({_GOOD}|{_BAD}){_IS}(\d+)(?![\w.])")
_FIRST = r"(?:first|zuerst|zuoberst|oben|en\s+premier|d'abord|primero|arriba|at\s+the\s+top|on\s+top)"
_TO = r"(?:to|bis|zum|zur|au|aux|a|al|hasta|->|→|-|–)"
_FIRST_BEST = re.compile(
    rf"\b{_GOOD}\b[^.;]{{0,14}}\b{_FIRST}\b|\b{_GOOD}\b[^.;\d]{{0,14}}{_TO}\s[^.;\d]{{0,14}}\b{_BAD}\b"
)
_FIRST_WORST = re.compile(
    rf"\b{_BAD}\b[^.;]{{0,14}}\b{_FIRST}\b|\b{_BAD}\b[^.;\d]{{0,14}}{_TO}\s[^.;\d]{{0,14}}\b{_GOOD}\b"
)
_LOW = re.compile(
    r"\b(?:weniger|niedriger|kleiner)\b[^.;]{0,12}\bbesser\b|\bmoins\b[^.;]{0,16}\bmieux\b|\bmenos\b[^.;]{0,12}\bmejor\b|"
    r"\b(?:lower|smaller|less|low|fewer)\b[^.;]{0,12}\b(?:better|best|good)\b|\blowest\b[^.;]{0,8}\bbest\b|"
    r"\bhigh(?:er)?\b[^.;]{0,8}\b(?:worse|worst|bad)\b"
)
_HIGH = re.compile(
    r"\b(?:higher|larger|bigger|greater|more|high)\b[^.;]{0,12}\b(?:better|best|good)\b|"
    r"\bhighest\b[^.;]{0,8}\bbest\b|\blow(?:er)?\b[^.;]{0,8}\b(?:worse|worst|bad)\b"
)
_OUT_OF = re.compile(r"(?:\bout\s+of|\bvon|\bsur|\bde|\bmax\.?|/)\s*(\d+)\b")
_RANGE = re.compile(r"(?<![\w.])(\d+)\s*(?:-|–|—|\bto\b|\bbis\b|\ba\b|\.\.)\s*(\d+)(?![\w.])")


@dataclass(frozen=True, slots=True)
class HeaderHint:
    """What names say.

    Attributes
    ----------
    measure : ranks or scores, or letters and other marks with an order; None where they say nothing, or both.
    best : which end is best, where that is written out ("1 = best", "worst first").
    name : the name that says so, for messages.
    contradicts : whether both ends are called best.
    cells : whether it is the cells that say so, by the way they are written.
    grades : whether they are called grades or marks, which are best low in some countries.
    range : the ends of the scale, where they are written out ("0-10", "out of 5").
    remark : what the name says in brackets and we do not understand: `Rank (1 = needs most work)`.
    """

    measure: Literal["ranks", "scores", "letters"] | None = None
    best: Best | None = None
    name: str = ""
    contradicts: bool = False
    cells: bool = False
    grades: bool = False
    range: tuple[float, float] | None = None
    remark: str = ""

    def combine(self, other: HeaderHint) -> HeaderHint:
        """With what others say; those who disagree say nothing, or contradict each other."""
        best = self.best or other.best
        clash = bool(self.best and other.best and self.best != other.best)
        measure = self.measure or other.measure
        if self.measure and other.measure and self.measure != other.measure:
            measure = None
        mine = bool(self.best or (self.measure and not other.best))
        name, cells = (self.name, self.cells) if mine else (other.name, other.cells)
        remarks = {self.remark, other.remark} - {""}
        return HeaderHint(
            measure,
            best,
            name or self.name or other.name,
            contradicts=clash or self.contradicts or other.contradicts,
            cells=cells,
            grades=self.grades or other.grades,
            range=self.range or other.range,
            remark=remarks.pop() if len(remarks) == 1 else "",  # several are what the columns are about
        )

    def combine_cells(self, cells: HeaderHint) -> HeaderHint:
        """With what the way the cells are written says; letters have their own order."""
        return cells if cells.measure == "letters" else self.combine(cells)


def hint_in_name(name: str, measure: Literal["ranks", "scores"] | None = None) -> HeaderHint:
    """What one name says; ``measure`` where its role is known."""
    text = fold(name[: 10 * LONGEST])
    words = set(re.findall(r"[^\W\d_]+", text))
    ranks = bool(words & _RANKS)
    scores = bool(words & _SCORES) or (not ranks and ("%" in text or bool(_OUT_OF.search(text))))
    word_measure: Literal["ranks", "scores"] | None = None
    if ranks != scores:
        word_measure = "ranks" if ranks else "scores"
    ends = _best_ends(text)
    best = next(iter(ends)) if len(ends) == 1 else None
    return HeaderHint(
        measure or word_measure,
        best,
        name,
        contradicts=len(ends) > 1,
        grades=bool(words & _GRADES),
        range=_declared_range(text),
        remark="" if best or not (measure or word_measure) else unclear_remark(name),
    )


def _best_ends(text: str) -> set[Best]:
    """Which ends are called best. 1 (or 0) as the best and 5 as the worst are the same saying."""
    ends: set[Best] = set()
    sayings = [(number, word) for number, word in _NUMBER_FIRST.findall(text)]
    sayings += [(number, word) for word, number in _WORD_FIRST.findall(text)]
    for number, word in sayings:
        good, small = bool(re.fullmatch(_GOOD, word)), int(number) <= 1
        ends.add("low" if good == small else "high")
    if sayings:
        return ends
    if _LOW.search(text) or _FIRST_BEST.search(text):
        ends.add("low")
    if _HIGH.search(text) or _FIRST_WORST.search(text):
        ends.add("high")
    return ends


def _declared_range(text: str) -> tuple[float, float] | None:
    if match := _RANGE.search(text):
        low, high = float(match[1]), float(match[2])
        return (min(low, high), max(low, high)) if low != high else None
    if match := _OUT_OF.search(text):
        return 0.0, float(match[1])
    return (0.0, 100.0) if "%" in text else None


def hint_in_names(names: Iterable[str], measure: Literal["ranks", "scores"] | None = None) -> HeaderHint:
    """What several names say together, such as the columns of places or the lines above a header."""
    hint = HeaderHint()
    for name in names:
        hint = hint.combine(hint_in_name(name, measure))
    return hint
