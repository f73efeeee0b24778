// The socket of a connection to PostgreSQL, which node-postgres takes by its option `stream`. What is written in one turn of the event loop
// leaves in one system call, such as the reads of simultaneous requests (decision 105).

import { Socket } from 'node:net';

export class PostgresSocket extends Socket {
  override write(...parameters: [data: Uint8Array]): boolean {
    if (this.writableCorked === 0 && !this.connecting) {
      this.cork();
      setImmediate(() => this.uncork());
    }
    return super.write(...parameters);
  }
}
