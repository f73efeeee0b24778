// Converts texts of the registers, which are in capitals, to the usual form: names, addresses and telephone numbers.

/** Words that stay in capitals: kinds of structures, legal forms, parts of addresses. */
const SHORT_FORMS = new Set(
  'BP CADA CAMSP CATTP CC CCAS CEGIDD CH CHI CHR CHRU CHS CHU CLAT CMP CMPP CPTS CS CSAPA CSI EHPAD EI EPSM ESAT FAM GCS GHT GIE GP HAD HL IDE IFSI IME IRM ITEP LBM MAS MDPH MSP PMI PTA SA SARL SAS SAVS SCM SCP SEL SELARL SELAS SESSAD SISA SMUR SSIAD SSR TSA UDSM USLD ZA ZAC ZI ZUP II III IV VI VII VIII'.split(
    ' ',
  ),
);
const SMALL = new Set("à au aux d’ d' de des du en et l’ l' la le les lès sous sur".split(' '));

/**
 * Writes words in capitals in the usual way: `HOPITAL ST JEAN DE LA CROIX` becomes `Hopital St Jean de la Croix`. Initials, and words with
 * small letters, stay as they are.
 */
export function readable(text: string): string {
  return text.replace(/\p{L}[\p{L}\d]*(?:(?<=(?<!\p{L})[DL])['’])?/gu, (word, at: number) => {
    if (word !== word.toUpperCase() || SHORT_FORMS.has(word) || /\d/.test(text[at - 1] ?? '')) return word;
    const small = word.toLowerCase();
    if (SMALL.has(small)) return at === 0 ? capitalized(small) : small;
    return /[aeiouyà-ÿœ]/.test(small) || /^(st|mgr|drs?|mr)$/.test(small) ? capitalized(small) : word;
  });
}

/** Writes the name of a person: `DU CHARDEY` becomes `Du Chardey`, `marie-ange` becomes `Marie-Ange`. */
export function personName(text: string): string {
  return text.toLowerCase().replace(/\p{L}+/gu, capitalized);
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
}

/** The civility before a name, from the prefix in FHIR: `MME` becomes `Mme`, `M` becomes `M.`. */
export function civility(prefix: string): string {
  const small = capitalized(prefix);
  return small === 'M' ? 'M.' : small;
}

/** A telephone number in groups of two digits, and its `tel:` link. Foreign numbers stay as they are. */
export function telephone(value: string): { shown: string; href: string } {
  const digits = value.replace(/[^\d+]/g, '');
  const national = digits.replace(/^(\+|00)33/, '0');
  if (!/^0\d{9}$/.test(national)) return { shown: value, href: `tel:${digits}` };
  return { shown: national.replace(/\B(?=(\d\d)+$)/g, '\u00a0'), href: `tel:+33${national.slice(1)}` };
}

/**
 * The `mailto:` link for an address. The register's text may contain a `?`, and mail programs would read further recipients after it (RFC
 * 6068 section 2).
 */
export function mailLink(email: string): string {
  return `mailto:${encodeURIComponent(email).replaceAll('%40', '@')}`;
}

/** Removes accents, case and punctuation before a comparison: `Saint-Étienne` and `ST ETIENNE` become equal. */
export function folded(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('œ', 'oe')
    .replaceAll('æ', 'ae')
    .replace(/[^\p{L}\d]+/gu, ' ')
    .replace(/\bst(?=e?\b)/g, 'saint')
    .trim();
}
