// Reads the Dockerfile: the instructions of its last stage, and what its COPY instructions bring from the build context.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Instruction {
  name: string;
  /** Everything after the name; lines that go on are joined. */
  text: string;
}

/** Every instruction, stage by stage; each stage begins with its FROM. */
export function stagesOf(dockerfile: string): Instruction[][] {
  const lines = dockerfile
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n');
  const instructions = lines.flatMap((line): Instruction[] => {
    const [, name, text = ''] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? [];
    return name === undefined ? [] : [{ name, text: text.trim() }];
  });
  const stages: Instruction[][] = [];
  for (const instruction of instructions) {
    if (instruction.name === 'FROM') stages.push([]);
    stages.at(-1)?.push(instruction);
  }
  return stages;
}

/** Text of the last instruction with this name in a stage. */
export function textOf(stage: readonly Instruction[], name: string): string | undefined {
  return stage.findLast((one) => one.name === name)?.text;
}

/** The words of an instruction in exec form; throws for one in shell form. */
export function execForm(text = ''): string[] {
  return JSON.parse(text.replace(/^[^[]*/, '')) as string[];
}

/** Variables of the ENV instructions. */
export function environmentOf(stage: readonly Instruction[]): Record<string, string> {
  const pairs = stage.filter(({ name }) => name === 'ENV').flatMap(({ text }) => text.split(/\s+/));
  return Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s).slice(0, 2) as [string, string]));
}

/** Paths of the context that a stage copies, with their places in the image; `.dockerignore` has to let each through. */
export function copiedBy(stage: readonly Instruction[], context: string): [source: string, place: string][] {
  const folder = textOf(stage, 'WORKDIR') ?? '/';
  const ignore = readFileSync(join(context, '.dockerignore'), 'utf8').split('\n');
  return stage.flatMap(({ name, text }): [string, string][] => {
    if (name !== 'COPY' || text.startsWith('--from')) return [];
    const sources = text.split(/\s+/);
    const target = sources.pop() ?? '';
    return sources.map((source) => {
      if (!ignore.includes(`!${source}`)) throw new Error(`.dockerignore keeps ${source} out of the context`);
      return [join(context, source), join(folder, target, target.endsWith('/') ? source : '')];
    });
  });
}
