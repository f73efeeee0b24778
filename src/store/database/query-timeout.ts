// Destroys connections to PostgreSQL that do not answer: after a network partition or a failover the operating system waits a
// quarter of an hour or for ever. node-postgres' own query_timeout keeps the connection, and the pool would use it again.

/** Milliseconds. Far longer than any statement of the service takes. */
const QUERY_TIMEOUT = 30_000;

/** What is needed of a connection of node-postgres. */
export interface PostgresClient {
  query(...given: unknown[]): unknown;
  connection: { stream: { destroy(reason: Error): unknown } };
}

/** Ends the connection when it does not answer: whoever waits then gets an error, and the next one another connection. */
export function setQueryTimeout(connection: PostgresClient, timeout = QUERY_TIMEOUT): void {
  const query = connection.query.bind(connection);
  let waiting = 0;
  let timer: NodeJS.Timeout | undefined;
  const giveUp = () => {
    const seconds = timeout / 1000;
    connection.connection.stream.destroy(new Error(`the database did not answer within ${seconds} s: given up`));
  };
  const answered = () => {
    waiting -= 1;
    if (waiting > 0) timer?.refresh();
    else clearTimeout(timer);
  };
  connection.query = (...given) => {
    waiting += 1;
    // The connection keeps the process alive as long as there is one.
    if (waiting === 1) timer = setTimeout(giveUp, timeout).unref();
    const done = given.at(-1);
    if (typeof done === 'function') {
      given[given.length - 1] = (...answer: unknown[]) => {
        answered();
        done(...answer);
      };
      return query(...given);
    }
    const result = query(...given) as Promise<unknown>;
    result.then(answered, answered);
    return result;
  };
}
