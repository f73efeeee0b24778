// How many rows a statement of the housekeeping, or of an import of accounts, changes.

/**
 * Rows at once: on SQLite a statement holds up everything else of the process, and on both engines those who want the same
 * rows. So few take some ten milliseconds.
 */
export const ROWS_AT_ONCE = 250;
