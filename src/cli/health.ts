// The command `health`: asks the running service whether it is healthy, for health checks of containers and of systemd units.

import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { get as getByTls } from 'node:https';
import { text as read } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { listeningAddress } from '#config/index.ts';
import { Refusal } from '#shared/operator-messages.ts';
import { action, type Command, flag, option, type Values } from './support/command.ts';

/** Milliseconds to wait for an answer (`ANSWER_WITHIN`), and between two attempts (`TRIED_EVERY`). */
const ANSWER_WITHIN = 5000;
const TRIED_EVERY = 250;

const OPTIONS = {
  ready: flag(
    'Asks whether the service can serve requests (/health/ready: database and directory), instead of whether it runs (/health/live).',
  ),
  wait: option('SECONDS', 'Asks again until the answer is yes, for at most this many seconds.', {
    fits: [/^\d{1,4}$/, 'a number of seconds'],
  }),
  pid: option(
    'PID',
    'With --wait: stops waiting when this process ends. Give the id of the process that starts ($MAINPID in a systemd unit).',
    { fits: [/^\d{0,10}$/, 'the number of a process'] },
  ),
} as const;

export const healthCommand: Command = {
  name: 'health',
  untraced: true,
  summary: 'Asks the service on this machine whether it runs or is ready, for health checks',
  action: action({
    options: OPTIONS,
    text: `
Uses the port of HYGIE_PORT or service.yaml, not the public address. With listen.tls it uses https and does not check the certificate. Exit code 0 if the service answers yes; otherwise 1, with its answer.
A service that is live but not ready needs no restart. Load balancers should ask with --ready, and supervisors without it.`,
    run: health,
  }),
  examples: [['health --ready --wait 60', 'in a script: go on once the service serves']],
};

async function health(values: Values<typeof OPTIONS>): Promise<void> {
  const { ready = false, wait = '0', pid = '' } = values;
  const { host, port, tls } = await listeningAddress(process.env);
  const path = ready ? '/health/ready' : '/health/live';
  const address = `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
  const until = performance.now() + Number(wait) * 1000;
  for (;;) {
    const { well, said } = await ask({ host, port, path, tls });
    // Whether the process has ended is checked before the answer, because the answer may come from another service. That happens if the
    // port was in use and the process could not open it.
    if (hasEnded(pid)) throw new Refusal(`The process ${pid} has ended: its log says why.`);
    if (well) return void process.stdout.write(`${said}\n`);
    if (performance.now() >= until) throw new Refusal(`${address}: ${said}`);
    await setTimeout(TRIED_EVERY);
  }
}

/** Checks whether the process has ended. Returns false if `pid` is empty, which happens if systemd does not know the process. */
function hasEnded(pid: string): boolean {
  try {
    return pid !== '' && !process.kill(Number(pid), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

async function ask({
  tls,
  ...place
}: Awaited<ReturnType<typeof listeningAddress>> & { path: string }): Promise<{ well: boolean; said: string }> {
  try {
    const options = { ...place, agent: false, signal: AbortSignal.timeout(ANSWER_WITHIN) };
    // The certificate is issued for the public name, but this command connects to an address of the machine. So the certificate is not
    // verified here. The command `check` and the log report faults of the certificate.
    const request = tls ? getByTls({ ...options, rejectUnauthorized: false }) : get(options);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const said = (await read(response)).trim();
    return {
      well: response.statusCode === 200,
      said: response.statusCode === 200 ? said : `${response.statusCode} ${said}`,
    };
  } catch (error) {
    const { code = '', name, message } = error as NodeJS.ErrnoException;
    if (name === 'AbortError' || name === 'TimeoutError')
      return { well: false, said: `no answer in ${ANSWER_WITHIN / 1000} s` };
    const remedy =
      code === 'ECONNREFUSED' ? ': nothing listens there; are HYGIE_PORT and HYGIE_CONFIG those of the service?' : '';
    return { well: false, said: `${code || message}${remedy}` };
  }
}
