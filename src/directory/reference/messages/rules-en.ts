// The English texts of the chapter on search rules.

import type { RULES_FR } from './rules-fr.ts';

export const RULES_EN: typeof RULES_FR = {
  title: 'Search rules',
  strict: 'An unknown or empty parameter is refused (400)',
  strictAbout:
    'In a directory, a criterion that is silently ignored points at the wrong person. With `Prefer: handling=lenient` it is ignored, and reported in the answer by an entry with `search.mode=outcome`.',
  folding: 'Accents, case, hyphens and apostrophes',
  foldingAbout:
    'They never matter in searches by words: lebœuf and LEBOEUF are the same, and so are saint-luc and Saint Luc.',
  together: 'Words together or apart',
  togetherAbout:
    'In names, `legall` finds LE GALL, and `le gall` finds LEGALL: neighbouring words count as the whole word that they make together. Initials with dots are one word in names of structures; in addresses `12 bis` is `12b`, and `3eme` is `3e`.',
  said: 'What people say',
  saidAbout:
    'Titles before the name of a person (Dr, Pr, M., Mme) are left out. Labels are found by usual words too: `infirmière`, `kiné`, `cardiologue`.',
  notes: 'Notes',
  notesAbout:
    'An entry with `search.mode=outcome` says what was left out or read in another way. Where a search by words or labels finds nothing and others would, it names what was understood and up to three searches that find something, with their totals.',
  joining: 'Or, and',
  joiningAbout:
    'A comma separates possible values; a repeated parameter narrows the search. The signs `,` `|` `$` `\\` are written with `\\` before them.',
  post: 'By form',
  postAbout:
    '`POST [base]/Type/_search`, as `application/x-www-form-urlencoded`, takes the same parameters: nothing is left in logs of addresses.',
  dates: 'Dates',
  datesAbout: (prefixes) => `Year, month, day or instant, in UTC where no time zone is given. Prefixes: ${prefixes}.`,
};
