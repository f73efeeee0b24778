// Shows a FHIR resource so that people can read it: laid out, with its references and pages as links. It only writes text into the page,
// never HTML.

/** Number of characters in a line that fits beside the form. */
const WIDTH = 76;

/** Creates an element with a class and content. */
export function make(name, className, ...content) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...content);
  return element;
}

/**
 * Shows a Bundle as a list of entries, of which all but the first are folded, and then the rest of it. Any other resource is shown whole.
 * `linkOf` finds a link for a text.
 */
export function answerElements(resource, linkOf, names) {
  const block = (value, label) => {
    const code = make('code', '');
    write(code, value, '', linkOf);
    const pre = make('pre', 'json', code);
    Object.assign(pre, { tabIndex: 0, role: 'region', ariaLabel: label });
    return pre;
  };
  const { entry, ...rest } = resource;
  if (!Array.isArray(entry)) return [block(resource, resource.resourceType ?? names.answer)];
  const entries = entry.map((one, index) => entryElement(one, index === 0, { block, linkOf, names }));
  const about = make('details', '', make('summary', '', 'Bundle'), block(rest, 'Bundle'));
  return [...entries, about];
}

function entryElement({ fullUrl, resource, search, response }, open, { block, linkOf, names }) {
  const place = resource?.id ? `${resource.resourceType}/${resource.id}` : (resource?.resourceType ?? response?.status);
  const mode = search?.mode === 'match' ? '' : (names.modes[search?.mode] ?? '');
  const about = make('span', 'about', mode ? `${mode} · ${place}` : place);
  const summary = make('summary', '', make('strong', '', titleOf(resource ?? {}) || place), about);
  const details = make('details', 'entry', summary);
  // A folded entry is laid out when somebody opens it, because a page may have two thousand resources.
  const fill = () => {
    if (!details.open || details.children.length > 1) return;
    const link = linkOf(fullUrl ?? '');
    if (link) details.append(make('p', 'alone', anchor(link, names.alone)));
    details.append(block(resource ?? response, place));
  };
  details.addEventListener('toggle', fill);
  details.open = open;
  return details;
}

const anchor = (href, text) => Object.assign(make('a', '', text), { href });

/** The name by which people know a resource; undefined if it has none. */
function titleOf({ name, code, specialty, title, issue }) {
  if (typeof name === 'string') return name;
  const [person] = name ?? [];
  if (person) return person.text ?? [person.prefix, person.given, person.family].flat().filter(Boolean).join(' ');
  if (title) return title;
  const concept = [specialty, code].flat().find((one) => one?.text ?? one?.coding?.[0]?.display);
  return concept?.text ?? concept?.coding[0].display ?? issue?.[0]?.diagnostics ?? '';
}

/** Appends a value as JSON. A value that fits is written on one line. */
function write(parent, value, indent, linkOf) {
  if (typeof value !== 'object' || value === null) return parent.append(leaf(value, linkOf));
  const isList = Array.isArray(value);
  const [open, close] = isList ? '[]' : '{}';
  const items = Object.entries(value);
  if (items.length === 0) return parent.append(open, close);
  const isShort = JSON.stringify(value).length + indent.length <= WIDTH;
  const deeper = isShort ? '' : `${indent}  `;
  const padding = isList ? '' : ' ';
  const [before, between, after] = isShort ? [padding, ', ', padding] : [`\n${deeper}`, `,\n${deeper}`, `\n${indent}`];
  parent.append(open);
  for (const [index, [name, item]] of items.entries()) {
    parent.append(index === 0 ? before : between);
    if (!isList) parent.append(make('span', 'key', JSON.stringify(name)), ': ');
    write(parent, item, deeper, linkOf);
  }
  parent.append(after, close);
}

function leaf(value, linkOf) {
  const text = JSON.stringify(value);
  if (typeof value !== 'string') return make('span', 'literal', text);
  const link = linkOf(value);
  return link ? anchor(link, text) : make('span', 'text', text);
}
