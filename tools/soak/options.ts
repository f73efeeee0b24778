// The command line of the soak, and its help.

import { parseArgs } from 'node:util';

export interface Options {
  minutes: number;
  /** Operations begun per second. */
  rate: number;
  /** Worker processes of each instance. */
  processes: number;
  people: number;
  practitioners: number;
  seed: number;
  /** Lifetimes of minutes instead of the defaults, so that expiry and clean-up happen within the run. */
  short: boolean;
  /** Folder for the logs of the instances. */
  logs?: string;
  /** File for the report as JSON. */
  json?: string;
}

const HELP = `Runs the service for a while as an operator does, under mixed load, and says whether anybody noticed what happened meanwhile.

  npm run soak -- [--minutes N] [OPTIONS]

Two instances in production mode, on one embedded PostgreSQL, behind HAProxy with deploy/haproxy.cfg as it is shipped. While people sign in,
tokens are refreshed and the directory is searched, the keys are rotated, clients.yaml is edited (once badly), the directory is
renewed, accounts are disabled, backups are made, and both instances are restarted in turn. Everything is on the loopback address and in a temporary folder, which goes at the end.

  --minutes N         how long the load lasts (5; 2 at least)
  --rate N            operations begun per second, whatever the answers take (6)
  --processes N       worker processes of each instance (1)
  --people N          accounts (60)
  --practitioners N   size of the fictional directory (3000)
  --lifetimes WHICH   short (default): tokens and sessions end within minutes; or default: those of service.yaml
  --seed N            of the draws: the same seed gives the same order of operations (1)
  --logs FOLDER       keeps the logs of the instances there
  --json FILE         the whole report for machines

Needs Linux (/proc), haproxy and openssl (apt-get install haproxy openssl). Exit codes: 0 nobody noticed anything and nothing grew;
1 something failed or grew, the table says what; 2 wrong usage.
How to read it: tools/README.md`;

class Usage extends Error {}

/** The options, or the exit code where there is nothing to run: help was asked for (0), or the usage is wrong (2). */
export function readOptions(args: readonly string[]): Options | number {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', short: 'h' },
        minutes: { type: 'string', default: '5' },
        rate: { type: 'string', default: '6' },
        processes: { type: 'string', default: '1' },
        people: { type: 'string', default: '60' },
        practitioners: { type: 'string', default: '3000' },
        seed: { type: 'string', default: '1' },
        lifetimes: { type: 'string', default: 'short' },
        logs: { type: 'string' },
        json: { type: 'string' },
      },
    });
    if (values.help) {
      process.stdout.write(`${HELP}\n`);
      return 0;
    }
    if (!['short', 'default'].includes(values.lifetimes)) throw new Usage('--lifetimes is short or default.');
    return {
      minutes: number('minutes', values.minutes, 2, 10_000),
      rate: number('rate', values.rate, 0.1, 1000),
      processes: number('processes', values.processes, 1, 64),
      people: number('people', values.people, 30, 10_000),
      practitioners: number('practitioners', values.practitioners, 500, 1_000_000),
      seed: number('seed', values.seed, 0, 2 ** 32),
      short: values.lifetimes === 'short',
      ...(values.logs !== undefined && { logs: values.logs }),
      ...(values.json !== undefined && { json: values.json }),
    };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\nSee: npm run soak -- --help\n`);
    return 2;
  }
}

function number(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= least && value <= most) return value;
  throw new Usage(`--${name} is a number from ${least} to ${most}, not "${text}".`);
}
