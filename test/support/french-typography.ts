// What French typography asks for, for texts of catalogues and of whole pages: no-break spaces, and the right signs.

/** Addresses, times with a colon, code between backquotes and scopes' names are no French. */
const NO_TEXT = /`[^`]*`|\b[\w.+-]+@[\w.-]+|\b[a-z][a-z0-9+.-]*:\/\/\S*|\b[\w.-]+:\d+\b|\b\w+:\w[\w.:-]*/gi;

const FAULTS: readonly [string, RegExp][] = [
  ['a no-break space is missing before : ; ! ? or »', /[^\u00a0\s:;!?][:;!?»](?=\s|[»)]|$)|[ \n\t][:;!?»]/u],
  ['a no-break space is missing after «', /«[^\u00a0]/u],
  ['a number may be parted from its unit', /\d (?:minutes?|heures?|jours?|caractères|chiffres|secondes?|fois)\b/iu],
  ['a straight apostrophe', /\p{L}'\p{L}/u],
  ['another name for an e-mail', /courriel|adresse électronique/iu],
  ['a form of one sex alone', /·e|(?<!\p{L})(?:connecté|redirigé|renvoyé|inscrit|autorisé à)(?!\p{L})/iu],
];

/** What is wrong with a French text, each with where it is; nothing when it is well set. */
export function frenchFaults(text: string): string[] {
  const read = text.replaceAll(NO_TEXT, 'x');
  return FAULTS.flatMap(([fault, pattern]) => {
    const found = pattern.exec(read);
    return found ? [`${fault}: ${read.slice(Math.max(0, found.index - 30), found.index + 20)}`] : [];
  });
}
