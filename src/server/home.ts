// The home page: what this service is, for those who open its address.

import type { RequestHandler } from 'express';
import type { Settings } from '../config/settings.ts';
import { REFERENCE } from '../directory/reference/router.ts';
import { renderHomePage } from '../signin/home-page.ts';
import { keepLanguage, languageLink, languageOf } from '../web/language.ts';
import { pageHeaders } from '../web/page-headers.ts';
import type { Site } from '../web/site.ts';

export function home({ demo }: Pick<Settings, 'demo'>, site: Site): RequestHandler {
  return (req, res) => {
    pageHeaders(res);
    keepLanguage(req, res, site);
    const page = renderHomePage({
      site,
      language: languageOf(req),
      languageLink: (language) => languageLink(req, language),
      docs: site.base + REFERENCE.docs,
      demo,
    });
    res.type('html').send(page);
  };
}
