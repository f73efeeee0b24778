// Makes spans for the queries of a traced request. A span has the text of the statement, but not the values bound to it.

import type { Knex } from 'knex';
import { currentContext, type Span, traced } from '#shared/request-context.ts';

/** Maximum characters of a statement in a span. The text is cut there, because `in (?, ?, ...)` may be long. */
const LONGEST = 500;
/** Statements that Knex runs around a transaction. They get no span, because Knex reports no answer for them. */
const TRANSACTION = /^\s*(?:begin|commit|rollback|savepoint|release|set)\b/i;
const SUMMARY = /^\s*(?:with\b.*?\)\s*)?(?=(\w+))(?:.*?\b(?:from|into|update|table)\s+["`]?(\w+))?/is;

interface KnexQuery {
  __knexQueryUid: string;
  sql: string;
}

/** Makes a span of each query that Knex runs. Call it only if queries are traced, because it slows each query a little. */
export function traceKnex(database: Knex): void {
  const running = new Map<string, Span>();
  const system = systemOf(database);
  const ended = ({ __knexQueryUid: id }: KnexQuery, failed?: string) => {
    running.get(id)?.end(failed);
    running.delete(id);
  };
  const client = database.client as NodeJS.EventEmitter;
  client.on('query', ({ __knexQueryUid: id, sql }: KnexQuery) => {
    const { tracer, span: parent } = currentContext() ?? {};
    if (tracer === undefined || parent === undefined || TRANSACTION.test(sql)) return;
    const { name, attributes } = describe(system, sql);
    const span = tracer.start({ name, kind: 'client', attributes, parent });
    if (span) running.set(id, span);
  });
  client.on('query-response', (_rows: unknown, query: KnexQuery) => ended(query));
  client.on('query-error', (error: { code?: unknown }, query: KnexQuery) =>
    ended(query, String(error.code ?? 'Error')),
  );
}

/** Runs a statement that does not go through Knex, in a span with the text of the statement. */
export function tracedQuery<Result>(database: Knex, sql: string, work: () => Promise<Result>): Promise<Result> {
  if (currentContext()?.span === undefined) return work();
  const { name, attributes } = describe(systemOf(database), sql);
  return traced(name, { kind: 'client', attributes }, work);
}

function systemOf(database: Knex): 'postgresql' | 'sqlite' {
  return database.client.config.client === 'pg' ? 'postgresql' : 'sqlite';
}

/**
 * Returns the name and the attributes of a query's span. By the semantic conventions of OpenTelemetry, the name of the span is the summary
 * of the query.
 */
function describe(system: string, sql: string) {
  const [, operation = '', table] = SUMMARY.exec(sql) ?? [];
  const name = [operation.toUpperCase(), table].filter(Boolean).join(' ') || system;
  const text = sql.length > LONGEST ? `${sql.slice(0, LONGEST)}…` : sql;
  return { name, attributes: { 'db.system.name': system, 'db.query.summary': name, 'db.query.text': text } };
}
