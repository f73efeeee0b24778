// Makes a constant when it is needed first, because making it takes time that most processes can save.

/** Calls `make` once and keeps its result. `make` depends on nothing that changes, so its result is a constant, not a state. */
export function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
