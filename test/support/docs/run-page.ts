// Runs the blocks of a page one after the other in one shell, as its reader does, and says which failed and why.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { killGroup } from './call.ts';
import { type Block, blocksOf } from './markdown.ts';
import type { Place, Word } from './places.ts';
import { WORDS } from './places.ts';
import { intoPlace, isAsShown, outOfPlace } from './rewriting.ts';
import { TOOLS } from './stand-ins.ts';

/** Milliseconds that a page may take, on a busy machine. */
const LONGEST = 100_000;

/** What the first line of a page asks for; nothing: an installation that stands still. */
export function wordsOf(page: string): Word[] {
  const [, list = 'installed'] = /^<!-- place: (.*) -->/.exec(page) ?? [];
  return list.split(',').map((word) => {
    const known = WORDS.find((one) => one === word.trim());
    if (known === undefined) throw new Error(`the place of a page has no "${word.trim()}": ${WORDS.join(', ')}`);
    return known;
  });
}

/** Programs that the page calls and this machine lacks. */
export function missingTools(page: string): string[] {
  const text = blocksOf(page)
    .filter(({ language }) => language === 'sh')
    .map((block) => block.text)
    .join('');
  const named = TOOLS.filter((tool) => new RegExp(`(^|[|;&(\\s])${tool}\\s`, 'm').test(text));
  return ['bash', 'curl', 'openssl', ...named].filter((tool) => !isInstalled(tool));
}

const installed = new Map<string, boolean>();

function isInstalled(tool: string): boolean {
  const known = installed.get(tool) ?? spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0;
  installed.set(tool, known);
  return known;
}

/** Runs the page; rejects with the block that failed, its output and its line. */
export async function runPage(page: string, place: Place): Promise<void> {
  const blocks = blocksOf(page);
  const folder = mkdtempSync(join(place.folder, 'blocks-'));
  const steps = blocks.flatMap((block, index) => stepOf(block, index, blocks[index + 1], place, folder));
  const start = wordsOf(page).includes('running') ? 'systemctl start hygie@3000\n' : '';
  for (const { number, script } of steps) writeFileSync(join(folder, `${number}.sh`), script);
  const lines = steps.map(
    ({ number }) =>
      `echo ${number} > ${folder}/at; . ${folder}/${number}.sh > ${folder}/${number}.out 2> ${folder}/${number}.err`,
  );
  const begin = intoPlace(start, place.rewriting);
  const whole = `set -eo pipefail\nPS4=\n${begin}umask 022\n${lines.join('\n')}\necho done > ${folder}/at\n`;
  const { code, output } = await bash(whole, place);
  const at = existsSync(join(folder, 'at')) ? readFileSync(join(folder, 'at'), 'utf8').trim() : 'start';
  const printed = (number: number, name: string) => {
    const file = join(folder, `${number}.${name}`);
    return existsSync(file) ? outOfPlace(readFileSync(file, 'utf8'), place.rewriting) : '';
  };
  if (at !== 'done') {
    const step = steps.find(({ number }) => String(number) === at);
    const said = step ? `${printed(step.number, 'out')}${printed(step.number, 'err')}` : '';
    throw new Error(
      `exit code ${code} in the block at line ${step?.block.line}:\n${step?.block.text}\n--- it printed:\n${said}${outOfPlace(output, place.rewriting)}`,
    );
  }
  for (const { number, block, shown } of steps) {
    if (shown === undefined) continue;
    const [out, err] = [printed(number, 'out'), printed(number, 'err')];
    if ([out, err, out + err, err + out].some((text) => isAsShown(text, shown.text))) continue;
    throw new Error(
      `line ${shown.line} shows another output than the block at line ${block.line} has:\n${out}--- and on standard error:\n${err}`,
    );
  }
}

interface Step {
  number: number;
  block: Block;
  script: string;
  shown?: Block;
}

function stepOf(block: Block, number: number, next: Block | undefined, { rewriting }: Place, folder: string): Step[] {
  const { language, text } = block;
  if (language === 'sh') {
    // Right behind it: two fences and an empty line.
    const isBehind = next !== undefined && next.line <= block.line + text.split('\n').length + 2;
    const shown = isBehind && /^(text|json)$/.test(next.language) ? next : undefined;
    return [{ number, block, script: intoPlace(text, rewriting), ...(shown && { shown }) }];
  }
  if (language !== 'yaml') return [];
  const [, file] = /^# (\/etc\/hygie\/(?:service|clients)\.yaml)\b/.exec(text) ?? [];
  if (file === undefined) return [];
  const hash = `$(cat ${folder}/*.out 2> /dev/null | grep -o 'sha256\\$[A-Za-z0-9_-]*' | tail -n 1)`;
  const shownIn = `${folder}/${number}.yaml`;
  const script = `cat > ${shownIn} <<'END OF THE FILE'\n${intoPlace(text, rewriting)}END OF THE FILE\napply-yaml ${rewriting.root}${file} ${shownIn} "${hash}"\n! command -v hygie > /dev/null || hygie check > /dev/null\n`;
  return [{ number, block, script }];
}

async function bash(script: string, place: Place): Promise<{ code: number | null; output: string }> {
  const child = spawn('bash', ['-c', script], {
    cwd: place.cwd,
    env: place.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const group = child.pid ?? 0;
  place.started(group);
  const timer = setTimeout(() => killGroup(group), LONGEST);
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('exit', resolve));
  clearTimeout(timer);
  // Ends what the page left running in the background.
  killGroup(group);
  return { code, output };
}
