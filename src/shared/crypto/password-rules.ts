// The rules of a good password (SEC-40, SEC-66; NIST SP 800-63B-4 section 3.1.1.2, OWASP ASVS 5 6.2): long, not common, and not about its
// owner. There are no composition rules.

import { isBreached } from '#shared/breached-passwords/breached-passwords.ts';

/** Lengths in characters (Unicode code points). */
export const PASSWORD_LENGTH = { least: 12, most: 256 } as const;

/**
 * `common`: the password is on a list, a repetition, or a run along the alphabet or keyboard. `personal`: it is made of the owner's e-mail
 * address or name.
 */
export type PasswordProblem = 'too-short' | 'too-long' | 'common' | 'personal';

/** Sentences for an operator. Pages have other sentences, in two languages. */
export const PASSWORD_PROBLEM_TEXTS: Readonly<Record<PasswordProblem, string>> = {
  'too-short': `The password has fewer than ${PASSWORD_LENGTH.least} characters. Make it longer; several words are best.`,
  'too-long': `The password has more than ${PASSWORD_LENGTH.most} characters. Make it shorter.`,
  common: 'The password is among the first that are tried. Choose another; several unrelated words are best.',
  personal: 'The password is made of the e-mail address or the name. Choose another.',
};

/** Returns the problems of a password for its owner; none if the password is good. */
export async function passwordProblems(
  password: string,
  owner: { email?: string; name?: string } = {},
): Promise<PasswordProblem[]> {
  const length = [...password].length;
  if (length < PASSWORD_LENGTH.least) return ['too-short'];
  if (length > PASSWORD_LENGTH.most) return ['too-long'];
  const problems: PasswordProblem[] = [];
  if (await isCommon(password)) problems.push('common');
  if (isPersonal(password, owner)) problems.push('personal');
  return problems;
}

// The cores of leaked passwords of 12 characters and more. The core is found by removing digits and signs around the word, spelling digits
// as letters, and removing repetitions. The words are French and English, like the people who sign in.
const COMMON_CORES = new Set(
  `
  password passwort passw0rd motdepasse mondepasse monmotdepasse lemotdepasse secret topsecret
  welcome bienvenue bonjour bonjourlemonde helloworld hello letmein laissezmoientrer changeme changezmoi changemoi
  changemenow pleasechangeme admin administrator administrateur superadmin root rootroot user utilisateur guest invite
  default parolenoua qwerty qwertyuiop azerty azertyuiop azertyuiopqsdfghjklm qwertyuiopasdfghjkl qwertz qwertzuiop
  asdfghjkl qsdfghjklm zxcvbnm wxcvbn iloveyou jetaime jetaimefort jetaimemonamour jetadore monamour moncoeur mylove
  loulou doudou chouchou princess princesse sunshine soleil superman batman spiderman starwars pokemon football
  basketball baseball marseille olympiquedemarseille parissaintgermain toulouse bretagne france vivelafrance
  michael jordan jennifer nicolas camille charlotte dragon monkey shadow master mustang computer ordinateur internet
  samsung microsoft google facebook linkedin trustno trustnoone whatever correcthorsebatterystaple
  thisismypassword mypassword yourpassword newpassword nouveaumotdepasse ilovemyfamily mafamille anniversaire
  hygie hygieia docteur doctor medecin medecine pharmacie pharmacien infirmier infirmiere hopital hospital clinique sante
  maison chocolat vacances testtest test testing temporary temporaire summer winter printemps automne
  `
    .trim()
    .split(/\s+/),
);

const RUNS = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890123456789',
  'azertyuiopqsdfghjklmwxcvbn',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik',
  '1a2z3e4r5t6y7u8i9o0p',
  '1q2w3e4r5t6y7u8i9o0p',
  '&é"\'(-è_çà)=',
  '!@#$%^&*()_+',
].flatMap((run) => [run, [...run].reverse().join('')]);

const WRITTEN_AS_DIGITS: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

async function isCommon(password: string): Promise<boolean> {
  const lower = plain(password).toLowerCase();
  if (new Set(lower).size < 5 || isRepetition(lower) || isRuns(lower)) return true;
  const folded = fold(password).replace(/[\s._,-]+/g, '');
  const spelt = folded.replace(/[013457@$!]/g, (sign) => WRITTEN_AS_DIGITS[sign] ?? sign);
  const cores = [folded, spelt, trimmed(folded), trimmed(spelt), trimmed(spellInside(folded))];
  if (cores.some((core) => COMMON_CORES.has(core) || COMMON_CORES.has(unrepeated(core)))) return true;
  return isBreached([password, ...cores]);
}

// Removes digits and signs at both ends, because they make a password such as motdepasse2024! hardly stronger.
function trimmed(text: string): string {
  return text.replace(/^[^a-z]+|[^a-z]+$/g, '');
}

// Spells digits inside a word as letters, but keeps those at the end: p4ssw0rd2024 becomes password2024.
function spellInside(text: string): string {
  const [, inside = text, end = ''] = /^(.*[a-z])([^a-z]*)$/.exec(text) ?? [];
  return inside.replace(/[013457@$!]/g, (sign) => WRITTEN_AS_DIGITS[sign] ?? sign) + end;
}

function isRepetition(text: string): boolean {
  return unrepeated(text).length <= Math.max(6, text.length / 3);
}

/** Returns the shortest text that gives the whole text when it is repeated. The last repetition may be partial. */
function unrepeated(text: string): string {
  for (let period = 1; period <= text.length / 2; period += 1) {
    if (text.slice(period) === text.slice(0, -period)) return text.slice(0, period);
  }
  return text;
}

// Checks whether the whole text consists of runs along the alphabet, the digits or the keyboard, of four or more characters each:
// 123456azerty.
function isRuns(text: string): boolean {
  let rest = text;
  while (rest.length >= 4) {
    const piece = longestRun(rest);
    if (piece < 4) return false;
    rest = rest.slice(piece);
  }
  return true;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const run of RUNS) {
    for (let length = Math.max(4, longest + 1); length <= text.length; length += 1) {
      if (!run.includes(text.slice(0, length))) break;
      longest = length;
    }
  }
  return longest;
}

// Checks whether a password has too little left to guess when the words of its owner's e-mail address and name are taken out.
function isPersonal(password: string, { email = '', name = '' }: { email?: string; name?: string }): boolean {
  const own = [...tokenize(email), ...tokenize(name)]
    .filter((word) => word.length >= 3)
    .sort((a, b) => b.length - a.length);
  const whole = fold(password);
  const left = own.reduce((text, word) => text.replaceAll(word, ''), whole);
  return left !== whole && left.replace(/[^a-z]/g, '').length < 4 && left.length < 8;
}

// Converts full-width letters and the like to plain ones, and removes invisible characters (soft hyphens, zero-width spaces).
function plain(text: string): string {
  return text.normalize('NFKC').replace(/\p{Cf}+/gu, '');
}

function fold(text: string): string {
  return plain(text)
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .replaceAll('œ', 'oe')
    .replaceAll('æ', 'ae');
}

function tokenize(text: string): string[] {
  return fold(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}
