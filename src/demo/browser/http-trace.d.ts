// The types of what the server uses of `http-trace.js`.

export function shown(name: string, value: string): string;
export function requestText(method: string, url: URL): string;
export function jsonText(value: unknown): string;
