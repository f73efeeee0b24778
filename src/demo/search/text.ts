// Converts texts of the registers, which are written in capitals, to the form in which people write names, addresses and telephone numbers.

/** Words that stay in capitals: short names of kinds of structures, legal forms and parts of addresses, and Roman numerals. */
const SHORT_FORMS = new Set(
  'BP CADA CAMSP CATTP CC CCAS CEGIDD CH CHI CHR CHRU CHS CHU CLAT CMP CMPP CPTS CS CSAPA CSI EHPAD EI EPSM ESAT FAM GCS GHT GIE GP HAD HL IDE IFSI IME IRM ITEP LBM MAS MDPH MSP PMI PTA SA SARL SAS SAVS SCM SCP SEL SELARL SELAS SESSAD SISA SMUR SSIAD SSR TSA UDSM USLD ZA ZAC ZI ZUP II III IV VI VII VIII'.split(
    ' ',
  ),
);
const SMALL = new Set("à au aux d’ d' de des du en et l’ l' la le les lès sous sur".split(' '));

/**
 * Converts words in capitals to capitalized words: `HOPITAL ST JEAN DE LA CROIX` becomes `Hopital St Jean de la Croix`. Initials and words
 * with small letters are not changed.
 */
export function readable(text: string): string {
  return text.replace(/\p{L}[\p{L}\d]*(?:(?<=(?<!\p{L})[DL])['’])?/gu, (word, at: number) => {
    if (word !== word.toUpperCase() || SHORT_FORMS.has(word) || /\d/.test(text[at - 1] ?? '')) return word;
    const small = word.toLowerCase();
    if (SMALL.has(small)) return at === 0 ? capitalized(small) : small;
    return /[aeiouyà-ÿœ]/.test(small) || /^(st|mgr|drs?|mr)$/.test(small) ? capitalized(small) : word;
  });
}

/** Capitalizes each part of a person's name: `DU CHARDEY` becomes `Du Chardey`, and `marie-ange` becomes `Marie-Ange`. */
export function personName(text: string): string {
  return text.toLowerCase().replace(/\p{L}+/gu, capitalized);
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
}

/** Returns the title that stands before a name, from the prefix in FHIR: `MME` becomes `Mme`, `DR` becomes `Dr`, and `M` becomes `M.`. */
export function civility(prefix: string): string {
  const small = capitalized(prefix);
  return small === 'M' ? 'M.' : small;
}

/** Returns a telephone number in groups of two digits, and its `tel:` link. A foreign number is shown as it is in the register. */
export function telephone(value: string): { shown: string; href: string } {
  const digits = value.replace(/[^\d+]/g, '');
  const national = digits.replace(/^(\+|00)33/, '0');
  if (!/^0\d{9}$/.test(national)) return { shown: value, href: `tel:${digits}` };
  return { shown: national.replace(/\B(?=(\d\d)+$)/g, '\u00a0'), href: `tel:+33${national.slice(1)}` };
}

/**
 * Returns the `mailto:` link for a mail address. The address is encoded, because a `?` in the text of a register would let mail programs
 * read further recipients after it (RFC 6068 section 2).
 */
export function mailLink(email: string): string {
  return `mailto:${encodeURIComponent(email).replaceAll('%40', '@')}`;
}

/**
 * Converts a text for comparisons: removes accents, case and punctuation, and writes out `St`. So `Saint-Étienne` and `ST ETIENNE` become
 * equal.
 */
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
