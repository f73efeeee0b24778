// Owns that a connection to PostgreSQL on which no answer comes is given up: where the network swallows what is sent, as after
// a partition or a failover, the system itself waits a quarter of an hour or for ever, and so would all who use it.
// Does not own the connections (`connection.ts`).

/** Milliseconds without any answer while one is waited for. Far longer than any statement of the service takes. */
const ANSWERS_WITHIN = 30_000;

/** What is needed of a connection of node-postgres. */
export interface LimitedConnection {
  query(...given: unknown[]): unknown;
  connection: { stream: { destroy(reason: Error): unknown } };
}

/** Ends the connection when it does not answer: whoever waits then gets an error, and the next one another connection. */
export function limitAnswers(connection: LimitedConnection, within = ANSWERS_WITHIN): void {
  const query = connection.query.bind(connection);
  let waiting = 0;
  let timer: NodeJS.Timeout | undefined;
  const giveUp = () => {
    const seconds = within / 1000;
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
    if (waiting === 1) timer = setTimeout(giveUp, within).unref();
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
