// One page with all pictures of `npm run screenshots`, to be looked at side by side.

import { html } from '#web/html.ts';

export interface Picture {
  walk: string;
  name: string;
  /** Language, width and colours. */
  look: string;
  file: string;
}

/** The contact sheet as an HTML document; `failures` are the pages that could not be shown. */
export function contactSheet(pictures: readonly Picture[], failures: readonly string[]): string {
  const pages = Map.groupBy(pictures, ({ walk, name }) => `${walk}: ${name}`);
  return html`<!DOCTYPE html>
<meta charset="utf-8">
<title>Pages of Hygie</title>
<style>
body { font: 16px/1.5 sans-serif; margin: 2rem; background: #eee; color: #111 }
.looks { display: flex; gap: 1rem; align-items: start; overflow-x: auto }
figure { margin: 0; flex: none }
img { display: block; max-height: 40rem; border: 1px solid #999; background: #fff }
</style>
<h1>Pages of Hygie</h1>
${failures.length > 0 && html`<h2>Not shown</h2><ul>${failures.map((failure) => html`<li>${failure}</li>`)}</ul>`}
${[...pages].map(
  ([title, looks]) =>
    html`<h2>${title}</h2><div class="looks">${looks.map(
      ({ look, file }) => html`<figure><figcaption>${look}</figcaption>
<a href="${file}"><img src="${file}" alt="${title}, ${look}" loading="lazy"></a></figure>`,
    )}</div>`,
)}
`.toString();
}
