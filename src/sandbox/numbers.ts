// Makes numbers for fictional people and structures, with valid check digits. A large fictional edition contains several copies of the
// structures of the shipped edition, each with numbers of its own. The numbers are in ranges that contain no real numbers: RPPS 19...,
// FINESS with 4, 5 or 6 as the third character, SIREN 99...

/**
 * Offset between the numbers of one copy of the structures and the numbers of the next copy. It is larger than the count of numbers that
 * the shipped edition has in a department (FINESS) or in total (SIREN, technical ids), so that no two copies have a number in common.
 */
const FINESS_STEP = 100;
const SIREN_STEP = 400;
const TECHNICAL_STEP = 10_000;
/** The n-th SIREN number is 99, followed by n * 7919 + 12345 modulo a million, so that the numbers look unordered. */
const [SIREN_FACTOR, SIREN_OFFSET, SIRENS] = [7919, 12_345, 1_000_000];
const SIREN_INVERSE = inverse(SIREN_FACTOR, SIRENS);

/** Appends the Luhn check digit to a number. In the numbers of Corsica, the letters A and B have the values 1 and 2. */
export function withCheckDigit(number: string): string {
  let sum = 0;
  for (let at = number.length - 1, doubled = true; at >= 0; at--, doubled = !doubled) {
    const code = number.charCodeAt(at);
    const digit = code >= 65 ? code - 64 : code - 48;
    sum += doubled ? digitSum(digit * 2) : digit;
  }
  return `${number}${(10 - (sum % 10)) % 10}`;
}

/** Returns the sum of the digits of a number below 20. */
function digitSum(number: number): number {
  return number > 9 ? number - 9 : number;
}

/** Converts a FINESS number of the shipped edition to the number that it has in a copy of the edition. Copy 0 is the edition itself. */
export function finessOf(number: string, copy: number): string {
  if (copy === 0 || number === '') return number;
  const serial = (Number(number[2]) - 4) * 100_000 + Number(number.slice(3, 8)) + copy * FINESS_STEP;
  return withCheckDigit(`${number.slice(0, 2)}${4 + Math.floor(serial / 100_000)}${padded(serial % 100_000, 5)}`);
}

/** Converts a SIREN number of the shipped edition to the number that it has in a copy. */
export function sirenOf(number: string, copy: number): string {
  if (copy === 0 || number === '') return number;
  const ordered = ((Number(number.slice(2, 8)) - SIREN_OFFSET + SIRENS) * SIREN_INVERSE) % SIRENS;
  const other = (((ordered + copy * SIREN_STEP) % SIRENS) * SIREN_FACTOR + SIREN_OFFSET) % SIRENS;
  return withCheckDigit(`99${padded(other, 6)}`);
}

/** Converts a SIRET number, which consists of a SIREN and the number of an establishment. */
export function siretOf(number: string, copy: number): string {
  if (copy === 0 || number === '') return number;
  return withCheckDigit(`${sirenOf(number.slice(0, 9), copy)}${number.slice(9, 13)}`);
}

/**
 * Converts a technical id of the registers. Such an id is F and a FINESS number, or C and a SIRET number, or R1 and a number. An id with
 * the number of a person (R2) stays the same.
 */
export function technicalIdOf(id: string, copy: number): string {
  if (copy === 0) return id;
  if (id.startsWith('F')) return `F${finessOf(id.slice(1), copy)}`;
  if (id.startsWith('C')) return `C${siretOf(id.slice(1), copy)}`;
  return id.startsWith('R1') ? `R1${padded(Number(id.slice(2)) + copy * TECHNICAL_STEP, 13)}` : id;
}

/**
 * Converts an id of earlier years. Such an id is 1 and a FINESS number, or 3 and a SIRET number, or 4 and a number. An id with the number
 * of a person (419...) stays the same.
 */
export function formerIdOf(id: string, copy: number): string {
  if (copy === 0) return id;
  if (id.startsWith('1')) return `1${finessOf(id.slice(1), copy)}`;
  if (id.startsWith('3')) return `3${siretOf(id.slice(1), copy)}`;
  return id.startsWith('40') ? `4${padded(Number(id.slice(1)) + copy * TECHNICAL_STEP, 14)}` : id;
}

function padded(number: number, width: number): string {
  return String(number).padStart(width, '0');
}

/** Returns the modular inverse of a number, which must have no common factor with `modulo`. */
function inverse(number: number, modulo: number): number {
  for (let turns = 1; ; turns++) if ((turns * modulo + 1) % number === 0) return (turns * modulo + 1) / number;
}
