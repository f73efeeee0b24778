// The workspaces of a person, from which they choose one, and the label of a directory record on a page.

import { type Html, html } from '#web/html.ts';
import type { Language } from '#web/language.ts';
import { messagesIn } from '#web/messages.ts';
import { fieldProblem } from './field.ts';

/** Facts by which people recognise a directory record. All of them may be unknown. */
export interface RecordLabel {
  name?: string;
  /** The best known number that the record has, with its kind: `FINESS 690000013`, `SIRET ...`, `RPPS ...`. */
  number?: string;
  /** Profession and specialities of a person. */
  work?: string;
  /** Postal code and town. */
  town?: string;
}

export type LabelInDirectory = (type: 'Practitioner' | 'Organization', id: string) => Promise<RecordLabel>;

interface LabelledWorkspace extends RecordLabel {
  id: string;
}

/** Name of the field, and of the ids that begin with it. */
export const WORKSPACE_FIELD = 'workspace';

/** Labels of workspaces, in the order of their names. */
export async function labelledWorkspaces(
  ids: readonly string[],
  label: LabelInDirectory,
): Promise<LabelledWorkspace[]> {
  const labelled = await Promise.all(ids.map(async (id) => ({ id, ...(await label('Organization', id)) })));
  const { compare } = new Intl.Collator('fr');
  return labelled.sort((one, other) => compare(one.name ?? one.id, other.name ?? other.id));
}

interface WorkspaceList {
  language: Language;
  workspaces: readonly LabelledWorkspace[];
  current: string | undefined;
  /** True if none was chosen, or one that is no longer available. */
  problem: boolean;
}

/**
 * A group of radio buttons. The focus is on the current one, so that Enter continues with it. With a problem, it is on the first one, below
 * the text of the problem.
 */
export function workspaceList({ language, workspaces, current, problem }: WorkspaceList): Html {
  const { workspace } = messagesIn(language);
  const start = (problem ? undefined : current) ?? workspaces[0]?.id;
  return html`<fieldset class="workspaces"${problem && html` aria-describedby="workspace-problem"`}>
<legend>${workspace.legend}</legend>
${problem && fieldProblem('workspace-problem', { title: workspace.problem })}
${workspaces.map(
  ({ id, ...label }) =>
    html`<label><input type="radio" name="${WORKSPACE_FIELD}" value="${id}" required${id === current && html` checked`}${id === start && html` autofocus`}> <span>${recordLabel(id, label)}</span></label>
`,
)}</fieldset>`;
}

/** The label of a record: its name, and a fact that distinguishes it from others of that name. It is the id if nothing else is known. */
export function recordLabel(id: string, { name, work, number, town }: RecordLabel): Html {
  const more = [number, town].filter((part) => part !== undefined);
  return html`<span class="record-name">${name ?? id}</span>${work && html` <span class="record-work">${work}</span>`}${
    more.length > 0 && html` <span class="record-id">${more.join(' · ')}</span>`
  }`;
}
