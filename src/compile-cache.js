// Lets Node keep compiled code beside the packages: a command then starts in two thirds of the time. Plain JavaScript,
// because it must come before the first TypeScript file, which costs the most.

import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../node_modules/.cache/hygie', import.meta.url));
// In the environment for the processes that this one starts. Where the folder cannot be written, Node does without.
process.env.NODE_COMPILE_CACHE ||= folder;
enableCompileCache(process.env.NODE_COMPILE_CACHE);
