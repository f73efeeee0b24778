// Finds the commands of Hygie that a text names, in the forms in which it may name them, and turns each into arguments.

/** The forms that exist: by npm in a checkout, without it, and as a call in the source that writes one of the two. */
const FORMS = [/npm run -s hygie -- /g, /node src\/launch\.js /g, /\bhygie(?:\(['"]|`)/g];

/** A word of a command after its name and action, rather than of the sentence around it. */
const ARGUMENT = /^(-|[[(<$"'A-Z\d|]|\\\||[^\s]*[@/.:\d][^\s]*)/;

/** What stands for a value, by the option before it. */
const VALUES: Readonly<Record<string, string>> = {
  // A process that does not run: a wait for it ends at once.
  '--pid': '2147483647',
  '--limit': '5',
  '--since': 'yesterday',
  '--until': 'today',
  '--address': '192.0.2.7',
  '--event': 'sign-in.failed',
  '--after': '1',
  '--head': `1:${'A'.repeat(43)}`,
  '--settle': '60s',
  '--wait': '0',
  '--accept': 'partial',
  '--format': 'copy',
  '--practitioners': '1000',
  '--seed': '1',
  '--day': '1',
};

/** Words, of which one in quotation marks may have spaces. */
const WORDS = /"[^"\n]*"\S*|\S+/g;

/** Where the help breaks a form that is too long for one line. */
const BROKEN = /\n {6,}(?=\[?--)/g;

/** Every command that the text names: its words, without what stands around them. */
export function commandsIn(text: string): string[][] {
  const named = FORMS.flatMap((form) =>
    [...text.matchAll(form)].map((found) => wordsOf(text.slice(found.index + found[0].length))),
  );
  return named.filter((words) => words.length > 0);
}

function wordsOf(text: string): string[] {
  const line = text.replace(BROKEN, ' ').split(/[\n`]| {2}|\\n|\\`|'\)|"\)/, 1)[0] ?? '';
  const words: string[] = [];
  // Prose goes on after a name alone, `hygie`.
  if (line.startsWith(' ')) return [];
  for (const word of line.match(WORDS) ?? []) {
    const first = words.length < 2 && !words.at(-1)?.startsWith('-');
    const value = /^\[?--/.test(words.at(-1) ?? '') && /^[a-z]/.test(word);
    // What the shell does with it.
    if (/^(\d?>|&|\|\|)/.test(word)) break;
    if (!(first ? /^[\w[/-]/.test(word) : value || ARGUMENT.test(word))) break;
    words.push(word);
    if (/[.,;:)]$/.test(word) && !/\.\.\.$/.test(word)) break;
  }
  return words
    .map((word) => word.replace(word.startsWith('"') ? /[.,;:)]+$/ : /(?<!\.\.)[.,;:)"]+$/, ''))
    .filter(Boolean);
}

/** Arguments for a command line: all that may be left out is there, of alternatives the first, and values in place of their names. */
export function argumentsOf(words: readonly string[]): string[] {
  const text = words.join(' ').replaceAll('\\|', '|');
  const chosen = text.replace(/ \| [^\])]*/g, '').replace(/[[\]()<>]|\.\.\./g, '');
  const args = (chosen.match(WORDS) ?? []).filter((word) => word !== '|');
  return args.map((arg, index) => (arg !== 'all' && VALUES[args[index - 1] ?? '']) || placeholder(arg));
}

function placeholder(arg: string): string {
  if (arg === 'COMMAND' || arg === 'ACTION') return '--help';
  if (arg === 'OPTIONS') return '';
  if (arg === 'DAY') return '2099-12-31';
  // A word is taken as it stands, where not every value in place of the name would be: `NUMBER|all`.
  const [, word] = /^[A-Z,]+\|([a-z]+)$/.exec(arg) ?? [];
  if (word !== undefined) return word;
  return arg === 'KIND' ? 'RS256' : arg.replace(/^["'](.*)["']$/, '$1');
}
