// Drives the operations, some at a time, and keeps what clients saw of each.

import { setTimeout } from 'node:timers/promises';
import { Seen } from './ask.ts';
import { type Kind, type Member, OPERATIONS, redeemTwice, type Stage, signIn } from './operations.ts';

export interface Answer {
  kind: Kind;
  /** Milliseconds of `performance.now()`: when it was begun, and how long it took. */
  at: number;
  ms: number;
  /** Undefined where it went well. */
  seen?: string;
}

export interface Load {
  readonly answers: readonly Answer[];
  /** Ends when what is under way has its answer. */
  stop(): Promise<void>;
}

const PARALLEL = 6;
/** Milliseconds between two operations of one client. */
const PAUSE = 120;
const FEWEST = 6;
const TURNS: Kind[] = [
  'sign-in',
  'search',
  'refresh',
  'userinfo',
  'revocation',
  'refresh',
  'sign-in',
  'search',
  'refresh',
  'sign-out',
  'double redemption',
];

export function startLoad(stage: Stage): Load {
  const answers: Answer[] = [];
  let stopped = false;
  let turn = 0;
  const client = async () => {
    while (!stopped) {
      turn += 1;
      const kind = TURNS[turn % TURNS.length] ?? 'search';
      const at = performance.now();
      const seen = await once(stage, kind);
      if (seen !== 'nobody')
        answers.push({ kind, at, ms: performance.now() - at, ...(seen !== undefined && { seen }) });
      await setTimeout(PAUSE);
    }
  };
  const clients = Array.from({ length: PARALLEL }, client);
  return {
    answers,
    stop: async () => {
      stopped = true;
      await Promise.all(clients);
    },
  };
}

/** What the client saw; undefined where all went well, `nobody` where there was nobody to do it with. */
async function once(stage: Stage, kind: Kind): Promise<string | undefined> {
  let member: Member | undefined;
  const changes = kind === 'refresh' || kind === 'revocation' || kind === 'sign-out';
  try {
    if (kind === 'sign-in' || kind === 'double redemption') {
      await (kind === 'sign-in' ? signIn : redeemTwice)(stage);
      return undefined;
    }
    const ends = kind === 'revocation' || kind === 'sign-out';
    const free = [...stage.members].filter(({ busy }) => !busy);
    member = ends && stage.members.size <= FEWEST ? undefined : free[Math.floor(Math.random() * free.length)];
    if (!member) return 'nobody';
    member.busy = true;
    await OPERATIONS[kind](stage, member);
    return undefined;
  } catch (error) {
    // A page that is not the one that was wanted: its status is in the message.
    const { message } = error as Error;
    if (member && (member.uncertain || stage.forgets) && /^(401|400)/.test(message)) {
      stage.members.delete(member);
      return member.uncertain ? 'nobody' : shortened(message);
    }
    // Sign-out and revocation may be done in part when they fail; a refresh that was refused is not done.
    if (member && changes && (kind !== 'refresh' || (error instanceof Seen && error.unknown))) member.uncertain = true;
    return shortened(message);
  } finally {
    if (member) member.busy = false;
  }
}

/** The first line; of a page that was not the one that was wanted, its text too. */
function shortened(message: string): string {
  const [line = '', ...page] = message.split('\n');
  const html = page.join(' ');
  const text = (/<main[\s\S]*/.exec(html)?.[0] ?? html).replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  return `${line.replace(/\/authorize\/[\w-]+/, '/authorize/ID')} ${text}`.trim().slice(0, 300);
}
