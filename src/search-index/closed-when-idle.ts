// Closes a resource, such as an open file, once all calls that use it have ended.

/** Counts the calls that run through `during`. `close` waits until none of them is running, and then calls the given function. */
export function closedWhenIdle(close: () => Promise<void> | void) {
  let underWay = 0;
  let idle = () => {};
  let closing: Promise<void> | undefined;
  return {
    isClosing: () => closing !== undefined,
    async during<Result>(call: () => Promise<Result>): Promise<Result> {
      underWay++;
      try {
        return await call();
      } finally {
        underWay--;
        if (underWay === 0) idle();
      }
    },
    close(): Promise<void> {
      closing ??= new Promise<void>((resolve) => {
        idle = resolve;
        if (underWay === 0) resolve();
      }).then(close);
      return closing;
    },
  };
}
