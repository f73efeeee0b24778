// Members of a store that is played: what they are asked is noted in one list, in order.

/** Makes a member that notes its name and arguments in `done`, and has this result. */
export const noting =
  (done: unknown[]) =>
  <Result>(name: string, result?: Result) =>
  async (...args: unknown[]) => {
    done.push([name, ...args]);
    return result as Result;
  };
