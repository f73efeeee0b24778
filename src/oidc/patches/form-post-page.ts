// Owns that the answer to `response_mode=form_post` comes in a page of ours (OAuth 2.0 Form Post Response Mode): the library's
// speaks English alone, and stands under a policy that does not let it post to the callback. Does not own its looks.

import type { KoaContextWithOIDC } from 'oidc-provider';

/** A form that the browser posts to the client's callback. */
export interface CallbackForm {
  action: string;
  fields: readonly (readonly [name: string, value: string])[];
}

/** `page` renders the form, under a policy that lets it lead to the callback. To be used before whatever alters the answer. */
export function formPostPage(page: (ctx: KoaContextWithOIDC, form: CallbackForm) => string) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
    await next();
    const { body } = ctx;
    if (typeof body !== 'string' || !ANSWERS.has(ctx.oidc?.route ?? '')) return;
    const action = /<title>Submitting Callback<\/title>[\s\S]*<form method="post" action="([^"]*)"/.exec(body)?.[1];
    if (action === undefined) return;
    const inputs = body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"\/>/g);
    const fields = [...inputs].map(([, name = '', value = '']) => [name, plain(value)] as const);
    ctx.body = page(ctx, { action: plain(action), fields });
  };
}

const ANSWERS: ReadonlySet<string> = new Set(['authorization', 'resume']);
const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

/** The text that the library escaped. */
function plain(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#(\d+));/g, (entity, code) =>
    code === undefined ? (ENTITIES[entity] ?? entity) : String.fromCharCode(Number(code)),
  );
}
