// Closes something as soon as no call uses it any more.

/** Counts the calls that are running. Once `close` was called and no call is running, it calls the given function. */
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
