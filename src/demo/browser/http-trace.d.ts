// Types for the server's use of `http-trace.js`.

export function shown(name: string, value: string): string;
export function requestText(method: string, url: URL): string;
export function jsonText(value: unknown): string;
