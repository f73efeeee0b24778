// The types of `snippets.js`, which is plain JavaScript because browsers load it unchanged.

export type CodeLanguage = 'curl' | 'javascript' | 'python' | 'java';

export function snippetsOf(base: string, request: string, options?: { token?: boolean }): Record<CodeLanguage, string>;
