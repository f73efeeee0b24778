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

/** Every command that the text names: its words, without what stands around them. */
export function commandsIn(text: string): string[][] {
  const named = FORMS.flatMap((form) =>
    [...text.matchAll(form)].map((found) => wordsOf(text.slice(found.index + found[0].length))),
  );
  return named.filter((words) => words.length > 0);
}

function wordsOf(text: string): string[] {
  const line = text.split(/[\n`]| {2}|\\n|\\`|'\)|"\)/, 1)[0] ?? '';
  const words: string[] = [];
  for (const word of line.split(' ')) {
    const first = words.length < 2 && !words.at(-1)?.startsWith('-');
    const value = /^\[?--/.test(words.at(-1) ?? '') && /^[a-z]/.test(word);
    // What the shell does with it.
    if (/^(\d?>|&|\|\|)/.test(word)) break;
    if (!(first ? /^[\w[/-]/.test(word) : value || ARGUMENT.test(word))) break;
    words.push(word);
    if (/[.,;:)]$/.test(word) && !/\.\.\.$/.test(word)) break;
  }
  return words.map((word) => word.replace(/(?<!\.\.)[.,;:)"]+$/, '')).filter(Boolean);
}

/** Arguments for a command line: all that may be left out is there, of alternatives the first, and values in place of their names. */
export function argumentsOf(words: readonly string[]): string[] {
  const text = words.join(' ').replaceAll('\\|', '|');
  const chosen = text.replace(/ \| [^\])]*/g, '').replace(/[[\]()<>]|\.\.\./g, '');
  const args = chosen.split(/\s+/).filter((word) => word !== '' && word !== '|');
  return args.map((arg, index) => VALUES[args[index - 1] ?? ''] ?? placeholder(arg));
}

function placeholder(arg: string): string {
  if (arg === 'COMMAND' || arg === 'ACTION') return '--help';
  if (arg === 'OPTIONS') return '';
  return arg === 'KIND' ? 'RS256' : arg.replace(/^["'](.*)["']$/, '$1');
}
