// Makes a constant when it is needed first, because making it takes time that most processes can save.

/** `make` depends on nothing that changes: what it returns is a constant, not a state. */
export function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
