// Closes something that calls may be using.

/** Counts the calls under way, and calls `close` once: when it was asked to, and none is left. */
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
