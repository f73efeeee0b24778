// Issue, item "Metrics": all worker processes in one answer, whichever of them is asked; one that hangs, and one that was killed.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Installation } from '#support/cli/hygie.ts';
import { filledInstallation, type Serving, serve } from '#support/cli/serving.ts';
import { scrape } from '#support/metrics/scrape.ts';
import { until } from '#support/until.ts';

const TOKEN = 'a-token-of-the-tests-that-opens-nothing';
/** Processes of a service start and are replaced. */
const SLOW = 60_000;
/** Requests, each on a connection of its own: some go to each worker. */
const REQUESTS = 40;

let place: Installation;
let serving: Serving;
beforeAll(async () => {
  place = filledInstallation();
  place.configure('service.yaml', 'metrics: { token: { env: METRICS_TOKEN } }');
  serving = await serve(place, { HYGIE_PROCESSES: '2', LOG_FORMAT: 'json', METRICS_TOKEN: TOKEN });
  await serving.outputMatching(/(a worker process listens[\s\S]*){2}/);
}, SLOW);
afterAll(async () => {
  serving?.child.kill('SIGKILL');
  await serving?.ended;
  place.remove();
});

const metrics = () => scrape(`http://localhost:${serving.port}/metrics`, TOKEN);
const health = { route: 'health', status: '2xx' };
const processes = (state: string) => ({ state });
const workers = () =>
  [...serving.output().matchAll(/"worker":(\d+),"msg":"a worker process listens"/g)].map(([, pid]) => Number(pid));

it(
  'counters are added up, what is shared is not; one that hangs is said so, and one that was killed takes nothing back',
  async () => {
    for (let n = 0; n < REQUESTS; n += 1) {
      await fetch(`http://localhost:${serving.port}/health/live`, { headers: { connection: 'close' } });
    }
    const all = await metrics();
    expect(all.value('hygie_http_requests_total', health)).toBe(REQUESTS);
    expect(all.value('hygie_http_request_duration_seconds_count', { route: 'health' })).toBe(REQUESTS);
    expect(all.value('hygie_worker_processes', processes('answering'))).toBe(2);
    expect(all.value('hygie_directory_serving')).toBe(1);
    expect(all.value('hygie_directory_resources', { type: 'Practitioner' })).toBe(2000);
    expect(all.value('hygie_database_up')).toBe(1);
    expect(all.value('hygie_audit_events_total', { event: 'service.started' })).toBe(1);

    const [first = 0, second = 0] = workers();
    process.kill(first, 'SIGSTOP');
    // Whether the one that hangs gets this connection is the system's choice.
    let hanging: Awaited<ReturnType<typeof metrics>> | undefined;
    await until(async () => {
      const asked = metrics().then((found) => {
        hanging ??= found;
      });
      await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, 4000))]);
      return hanging !== undefined;
    }, 'the other one is asked');
    process.kill(first, 'SIGCONT');
    expect(hanging?.value('hygie_worker_processes', processes('silent'))).toBe(1);
    expect(hanging?.value('hygie_http_requests_total', health)).toBe(REQUESTS);

    process.kill(second, 'SIGKILL');
    await until(() => workers().length === 3, 'it is replaced');
    const after = await metrics();
    expect(after.value('hygie_http_requests_total', health)).toBe(REQUESTS);
    expect(after.value('hygie_worker_processes', processes('answering'))).toBe(2);
    expect(after.value('hygie_worker_deaths_total')).toBe(1);
    // Read a second time, what is gone is not added again.
    expect((await metrics()).value('hygie_http_requests_total', health)).toBe(REQUESTS);
  },
  SLOW,
);
