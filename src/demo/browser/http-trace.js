// Owns how a message of the login sequence is shown in the browser application: one parameter a line, random values short.
// Does not own the conversation itself (`sign-in.js`).

const SHORTENED = /^(code|state|nonce|code_challenge|code_verifier|access_token|id_token|at_hash)$/;

/** A parameter's value as the page may show it. */
export function shown(name, value) {
  return SHORTENED.test(name) && value?.length > 10 ? `${value.slice(0, 8)}…` : value;
}

/** A request line with its query. */
export function requestText(method, url) {
  return [`${method} ${url.origin}${url.pathname}`, ...parameterLines(url.searchParams, '?')].join('\n');
}

export function jsonText(value) {
  return JSON.stringify(value, (name, item) => (typeof item === 'string' ? shown(name, item) : item), 2);
}

/** A `fetch` that tells of each request and its answer: the path asked, and the text to show. */
export function recordingFetch(tell) {
  return async (address, options) => {
    const response = await fetch(address, options);
    const url = new URL(address);
    const form = options.body instanceof URLSearchParams ? ['', ...parameterLines(options.body, ' ')] : [];
    const answer = jsonText(
      await response
        .clone()
        .json()
        .catch(() => ''),
    );
    const text = [requestText(options.method, url), ...form, '', `HTTP ${response.status}`, answer];
    tell(url.pathname, text.join('\n'));
    return response;
  };
}

function parameterLines(parameters, first) {
  return [...parameters].map(([name, value], index) => {
    const separator = index === 0 || first === ' ' ? first : '&';
    return `  ${separator}${name}=${shown(name, value)}`;
  });
}
