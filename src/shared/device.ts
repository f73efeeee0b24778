// Names a browser and its system from the User-Agent, by families alone: "Firefox, Windows".

import { BROWSER_MAP, getParser, OS_MAP } from 'bowser';

/** Maximum characters of the User-Agent that are parsed. Real browsers send fewer. */
const LONGEST = 512;

const NO_NAMES = new Set(['Generic']);
const BROWSERS = new Set<string>(Object.values(BROWSER_MAP).filter((name) => !NO_NAMES.has(name)));
const SYSTEMS = new Set<string>(Object.values(OS_MAP));

/**
 * Names the browser and its system, or only one of the two if the other is unknown; undefined if both are unknown. Only names from the
 * library's lists are returned, so that no other text of the header gets through.
 */
export function deviceOf(userAgent: string | undefined): string | undefined {
  if (!userAgent) return undefined;
  const parser = getParser(userAgent.slice(0, LONGEST));
  const [browser, system] = [parser.getBrowserName(), parser.getOSName()];
  return (
    [...(BROWSERS.has(browser) ? [browser] : []), ...(SYSTEMS.has(system) ? [system] : [])].join(', ') || undefined
  );
}

/** Returns the device of a request, as a detail of an audit event. */
export function deviceDetail(req: { headers: { 'user-agent'?: string | undefined } }): { device?: string } {
  const device = deviceOf(req.headers['user-agent']);
  return device === undefined ? {} : { device };
}
