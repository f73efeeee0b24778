// Every language that has drivers.

import type { Toolchain, ToolchainName } from '#tools/interoperability/runner/driver.ts';
import { go } from './go.ts';
import { java } from './java.ts';
import { javascript } from './javascript.ts';
import { python } from './python.ts';
import { rust } from './rust.ts';
import { shell } from './shell.ts';

export const TOOLCHAINS: Record<ToolchainName, Toolchain> = { javascript, python, go, java, rust, shell };
