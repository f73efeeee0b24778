// The socket of a connection to PostgreSQL, which node-postgres takes by its option `stream`. All that is written in one turn of the event
// loop, such as the reads of simultaneous requests, leaves in one system call (decision 105).

import { Socket } from 'node:net';

export class PostgresSocket extends Socket {
  #held = false;

  // node-postgres corks the socket around the messages of one statement. So they must be held back here, and not only in `write`.
  override cork(): void {
    this.#holdForThisTurn();
    super.cork();
  }

  override write(...parameters: [data: Uint8Array]): boolean {
    this.#holdForThisTurn();
    return super.write(...parameters);
  }

  #holdForThisTurn(): void {
    if (this.#held || this.connecting) return;
    this.#held = true;
    super.cork();
    setImmediate(() => {
      this.#held = false;
      this.uncork();
    });
  }
}
