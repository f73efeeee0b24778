// The French texts of the chapter on search rules.
// Typography: ’ for the apostrophe, \u00a0 before : ; ! ? and inside « ».

export const RULES_FR = {
  title: 'Règles de recherche',
  strict: 'Un critère inconnu ou vide est refusé (400)',
  strictAbout:
    'Dans un annuaire, un critère ignoré en silence désigne la mauvaise personne. Avec `Prefer: handling=lenient`, il est ignoré, et signalé dans la réponse par une entrée `search.mode=outcome`.',
  folding: 'Accents, casse, traits d’union et apostrophes',
  foldingAbout:
    'Ils ne comptent jamais dans les recherches par mots\u00a0: lebœuf et LEBOEUF se valent, saint-luc et Saint Luc aussi.',
  together: 'Mots collés ou séparés',
  togetherAbout:
    'Dans les noms, `legall` trouve LE GALL, et `le gall` trouve LEGALL\u00a0: des mots voisins valent le mot entier qu’ils forment ensemble. Les initiales avec des points sont un seul mot dans les noms de structures\u00a0; dans les adresses, `12 bis` vaut `12b`, et `3eme` vaut `3e`.',
  said: 'Mots de tous les jours',
  saidAbout:
    'Les titres devant le nom d’une personne (Dr, Pr, M., Mme) sont laissés de côté. Les libellés se trouvent aussi par les mots d’usage\u00a0: `infirmière`, `kiné`, `cardiologue`.',
  notes: 'Remarques',
  notesAbout:
    'Une entrée `search.mode=outcome` dit ce qui a été laissé de côté ou lu autrement. Là où une recherche par mots ou par libellés ne trouve rien et que d’autres trouveraient, elle nomme ce qui a été compris et jusqu’à trois recherches qui trouvent quelque chose, avec leurs totaux.',
  joining: 'Ou, et',
  joiningAbout:
    'Une virgule sépare des valeurs possibles\u00a0; un critère répété restreint la recherche. Les signes `,` `|` `$` `\\` s’écrivent précédés de `\\`.',
  post: 'Par formulaire',
  postAbout:
    '`POST [base]/Type/_search`, en `application/x-www-form-urlencoded`, accepte les mêmes critères\u00a0: rien ne reste dans les journaux d’adresses.',
  dates: 'Dates',
  datesAbout: (prefixes: string) =>
    `Année, mois, jour ou instant, en UTC sans fuseau indiqué. Préfixes\u00a0: ${prefixes}.`,
};
