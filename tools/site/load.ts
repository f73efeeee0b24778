// Drives load from one process over kept-alive connections, and counts. Loopback only, for a given time, then ends.

import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  /** The body as it was sent. */
  bytes: Buffer;
}

export interface Call {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
}

/** Sends one request and reads the whole answer. */
export function send(agent: Agent, url: string, { method = 'GET', headers = {}, body }: Call = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const call = request(url, { agent, method, headers: { ...headers, ...length } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes.toString(), bytes });
      });
      response.on('error', reject);
    });
    call.on('error', reject);
    call.end(body);
  });
}

export interface Measurement {
  /** Completed units of work per second. */
  rate: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

/** Runs `unit` on `parallel` connections for `seconds`; a unit that throws ends the bench. */
export async function measure(
  seconds: number,
  parallel: number,
  unit: (agent: Agent) => Promise<void>,
): Promise<Measurement> {
  const agent = new Agent({ keepAlive: true, maxSockets: parallel });
  const times: number[] = [];
  const started = performance.now();
  const end = started + seconds * 1000;
  const worker = async () => {
    while (performance.now() < end) {
      const before = performance.now();
      await unit(agent);
      times.push(performance.now() - before);
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  const elapsed = (performance.now() - started) / 1000;
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { rate: times.length / elapsed, p50: at(0.5), p99: at(0.99) };
}

export interface Comparison<Measured extends Measurement = Measurement> {
  ours: Measured[];
  reference: Measured[];
  /** Median of the ratios ours / reference, round by round. */
  ratio: number;
}

/**
 * Measures the two in turn, A B A B ..., so that a drifting machine does not favour either. A first round of each is not
 * counted: a service runs for months, and its code is compiled by then.
 */
export async function compare<Measured extends Measurement>(
  rounds: number,
  ours: () => Promise<Measured>,
  reference: () => Promise<Measured>,
): Promise<Comparison<Measured>> {
  const result: Comparison<Measured> = { ours: [], reference: [], ratio: 0 };
  await ours();
  await reference();
  for (let round = 0; round < rounds; round += 1) {
    result.ours.push(await ours());
    result.reference.push(await reference());
  }
  result.ratio = median(result.ours.map(({ rate }, index) => rate / (result.reference[index]?.rate ?? Number.NaN)));
  return result;
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
