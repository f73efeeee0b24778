// Seeded random draws of tests.

export { createDraw, type Draw } from '../../src/sandbox/draw.ts';
