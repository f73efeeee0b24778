// Texts for properties: any code points, lone surrogates among them, and those that fast-check knows as dangerous.

import fc from 'fast-check';

/** Any text of so many code points. The unit `binary` of fast-check takes most of a second to make its tables, in each file anew. */
export function anyText(constraints: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> {
  const unit = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code));
  return fc.oneof(fc.string(constraints), fc.string({ ...constraints, unit }));
}
