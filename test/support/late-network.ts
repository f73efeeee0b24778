// A network to PostgreSQL that keeps writes back and delivers them late, when the connection they came by is gone: what a server finds that was
// frozen when they were sent.

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface LateNetwork {
  port: number;
  leadTo(target: Pick<URL, 'hostname' | 'port'>): void;
  /** Lets so many messages with a write pass; the next one, and what comes after it by the same connection, is kept. */
  keepWrites(after?: number): void;
  /** How many are kept. */
  kept(): number;
  /** Lets all pass again, and delivers what was kept once it is given up; resolves when the server has ended those connections, and so is done with it. */
  deliver(): Promise<void>;
  close(): void;
}

const WRITE = /insert into |update "|delete from |with added|commit/i;
const PARSED = /(hygie_\w+)\0(?:insert|update|delete|with)\b/gi;

/** Listens on the loopback address. */
export async function lateNetwork(): Promise<LateNetwork> {
  let target: Pick<URL, 'hostname' | 'port'> | undefined;
  let passing = Number.POSITIVE_INFINITY;
  const late = new Map<Socket, { near: Socket; kept: Buffer[] }>();
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target?.port), target?.hostname);
    // Statements that are sent by the name that they were given before.
    const names = new Set<string>();
    const isWrite = (text: string) => {
      for (const [, name] of text.matchAll(PARSED)) if (name) names.add(name);
      return WRITE.test(text) || [...names].some((name) => text.includes(`\0${name}\0`));
    };
    open.add(near).add(far);
    near.on('data', (data) => {
      const kept = late.get(far)?.kept;
      if (kept) kept.push(data);
      else if (isWrite(data.toString('latin1')) && passing-- <= 0) late.set(far, { near, kept: [data] });
      else far.write(data);
    });
    far.on('data', (data) => near.writable && near.write(data));
    near.on('error', () => {}).on('close', () => late.has(far) || far.destroy());
    far.on('error', () => {}).on('close', () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    leadTo: (address) => {
      target = address;
    },
    keepWrites: (after = 0) => {
      passing = after;
    },
    kept: () => late.size,
    deliver: async () => {
      passing = Number.POSITIVE_INFINITY;
      const ended = [...late].map(async ([far, { near, kept }]) => {
        if (!near.destroyed) await once(near, 'close');
        far.end(Buffer.concat(kept));
        await once(far, 'close');
        late.delete(far);
      });
      await Promise.all(ended);
    },
    close: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
