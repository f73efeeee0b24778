// Shows a request to the directory as code for copying, in four languages. It runs in the browser and on the server. Every text of the
// request is quoted for its language, because it may come from a link of somebody else.

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const double = (text) => JSON.stringify(text);
const single = (text) => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

/** The code for `Type?name=value` or another address below `base`. `token` is false for an address that is open to everybody. */
export function snippetsOf(base, request, { token = true } = {}) {
  const { path, pairs } = partsOf(below(base, request));
  // The query is encoded as it will be sent, because a reader may have typed characters that no address can have.
  const sent = pairs.length > 0 ? `${path}?${new URLSearchParams(pairs)}` : path;
  const asked = { base, request: sent, token, path, pairs };
  return { curl: curl(asked), javascript: javascript(asked), python: python(asked), java: java(asked) };
}

/** The part of a request below `base`, if it was written with `base`. */
export const below = (base, request) => (request.startsWith(`${base}/`) ? request.slice(base.length + 1) : request);

/** The path of a request, and its decoded parameters. */
export function partsOf(request) {
  const [path = '', ...query] = request.split('?');
  return { path, pairs: [...new URLSearchParams(query.join('?'))] };
}

function curl({ base, path, pairs, token }) {
  const address = `${base}/${path}`;
  // curl would understand `[1-9]` and `{a,b}` as patterns for many addresses.
  const globs = /[[\]{}]/.test(address) ? ' --globoff' : '';
  const lines = [
    `curl -s${pairs.length > 0 ? 'G' : ''}${globs} ${/^[\w:/.-]+$/.test(address) ? address : quoted(address)}`,
    ...(token ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    // curl encodes only the value, so the name is encoded here.
    ...pairs.map(
      ([name, value]) => `--data-urlencode ${quoted(`${name.replaceAll(/[^\w.:-]/gu, encodeURIComponent)}=${value}`)}`,
    ),
  ];
  return lines.join(' \\\n  ');
}

/** The method of a FHIR client for a request: a search (`search`), the read of one resource (`read`), or neither. */
function interactionOf({ path, pairs }) {
  const [type, id, ...rest] = path.split('/');
  if (!/^[A-Z]\w*$/.test(type) || rest.length > 0) return {};
  return { type, id, search: id === undefined, read: id !== undefined && pairs.length === 0 };
}

function javascript({ base, request, path, pairs, token }) {
  return `import { Client } from 'fhir-kit-client';

const directory = new Client({ baseUrl: ${single(base)}${token ? ', bearerToken: process.env.TOKEN' : ''} });
const answer = ${javascriptCall({ base, request, path, pairs })};
console.log(JSON.stringify(answer, null, 2));`;
}

function javascriptCall({ base, request, path, pairs }) {
  const { type, id, search, read } = interactionOf({ path, pairs });
  if (search && pairs.length > 0) return searchCall(type, pairs);
  if (read) return `await directory.read({ resourceType: ${single(type)}, id: ${single(id)} })`;
  // The client sends its token to any absolute address. So a request that begins with http gets the base address before it.
  return `await directory.request(${single(/^http/i.test(request) ? `${base}/${request}` : request)})`;
}

function searchCall(type, pairs) {
  const values = Map.groupBy(pairs, ([name]) => name);
  const lines = [...values].map(([name, list]) => {
    const [value] =
      list.length > 1 ? [`[${list.map(([, one]) => single(one)).join(', ')}]`] : list.map(([, one]) => single(one));
    return `    ${/^\w+$/.test(name) ? name : single(name)}: ${value},`;
  });
  return `await directory.search({
  resourceType: ${single(type)},
  searchParams: {
${lines.join('\n')}
  },
})`;
}

function python({ base, path, pairs, token }) {
  const parts = [
    ...(pairs.length > 0
      ? [`    params=[\n${pairs.map((pair) => `        (${pair.map(double).join(', ')}),\n`).join('')}    ],\n`]
      : []),
    ...(token ? ['    headers={"Authorization": "Bearer " + os.environ["TOKEN"]},\n'] : []),
  ];
  return `import json
import os

import requests

answer = requests.get(
    ${double(`${base}/${path}`)},
${parts.join('')}    timeout=30,
)
answer.raise_for_status()
print(json.dumps(answer.json(), indent=2, ensure_ascii=False))`;
}

/** Uses HAPI's client for searches and reads, and the JDK's own client for other addresses. */
function java({ base, request, path, pairs, token }) {
  const { type, id, search, read } = interactionOf({ path, pairs });
  if (!search && !read) return plainJava(base, request, token);
  const call = search
    ? `search().byUrl(${double(request)}).returnBundle(Bundle.class)`
    : `read().resource(${double(type)}).withId(${double(id)})`;
  return `import ca.uhn.fhir.context.FhirContext;
import ca.uhn.fhir.rest.client.interceptor.BearerTokenAuthInterceptor;
import org.hl7.fhir.dstu3.model.Bundle;

class Ask {
  public static void main(String[] arguments) {
    var context = FhirContext.forDstu3();
    var directory = context.newRestfulGenericClient(${double(base)});
${token ? '    directory.registerInterceptor(new BearerTokenAuthInterceptor(System.getenv("TOKEN")));\n' : ''}    var answer = directory.${call}.execute();
    System.out.println(context.newJsonParser().setPrettyPrint(true).encodeResourceToString(answer));
  }
}`;
}

function plainJava(base, request, token) {
  return `import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

class Ask {
  public static void main(String[] arguments) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(${double(`${base}/${request}`)}))${token ? '.header("Authorization", "Bearer " + System.getenv("TOKEN"))' : ''}.build();
    System.out.println(HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body());
  }
}`;
}
