// What an upgrade test writes into a table, and how it is used.

import type { Database } from '#store/database/connection.ts';

/** What is random in the rows: needed to use them. */
export interface Written {
  recoveryCode?: string;
  totpSecret?: string;
  /** Token of a link to a new password. */
  link?: string;
  picture?: string;
}

export interface Rows {
  /** May resolve with a part of `Written`. */
  write(database: Database): Promise<unknown>;
  /** What the store of today makes of it, and what that has to be: no less, though perhaps more. */
  use(database: Database, written: Written): Promise<readonly [found: unknown, expected: unknown]>;
}
