// Text never becomes HTML, in content and in attributes alike.

import { describe, expect, it } from '@jest/globals';
import { html, linkTarget, trustedHtml } from '#web/html.ts';

describe('html template', () => {
  it('escapes every value, in content and in attributes', () => {
    const hostile = `"><script>alert('1')</script>&amp;`;
    expect(html`<p title="${hostile}">${hostile}</p>`.toString()).toBe(
      '<p title="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;">' +
        '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;</p>',
    );
  });

  it('leaves nothing for what is absent, and joins lists', () => {
    expect(html`[${undefined}${false}${[1, '<', html`<b>${'&'}</b>`]}]`.toString()).toBe('[1&lt;<b>&amp;</b>]');
  });

  it('does not read signs of the template language in values', () => {
    expect(html`${'$&'}${'$1'}${trustedHtml('<i>')}`.toString()).toBe('$&amp;$1<i>');
  });

  it('links to web and mail addresses only', () => {
    expect(linkTarget('https://aide.example/a?b=1')).toBe('https://aide.example/a?b=1');
    expect(linkTarget('mailto:aide@hygie.example')).toBe('mailto:aide@hygie.example');
    for (const hostile of ['javascript:alert(1)', ' javascript:alert(1)', 'data:text/html,x', '/path', undefined]) {
      expect(linkTarget(hostile)).toBeUndefined();
    }
  });
});
