# The service in a container. The configuration is yours, and not in the image: mount it at /config.
#
#   docker build -t hygie .
#   docker run --read-only -p 3000:3000 -v ./config:/config:ro -v hygie-data:/data -e HYGIE_ISSUER=https://connect.example.org hygie
#   docker run --rm ... hygie check            any other command, or in a running container:  docker exec NAME hygie accounts list
#
# The base image is named by the digest of its index (amd64, arm64), so that two builds of one commit are the same. To renew it:
#   docker buildx imagetools inspect node:24-bookworm-slim     # its "Digest:" goes into both FROM lines, the version beside it
# .github/dependabot.yml proposes that by itself every week.

FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20 AS build
WORKDIR /hygie
COPY package.json package-lock.json ./
# Nothing is compiled, and no package runs a script of its own.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
# What no machine of this kind reads: sources and other platforms' binaries of SQLite, declarations, source maps.
RUN cd node_modules && rm -r better-sqlite3/deps better-sqlite3/src \
  && find better-sqlite3/prebuilds -type f ! -name "linux-$(node -p process.arch).node" -delete \
  && find . -type f '(' -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' ')' -delete
COPY LICENSE knexfile.ts ./
COPY seeds seeds
COPY src src
# Compiled code beside the packages, since the file system is read-only later: the service starts in half the time, and a health check
# takes half as much of the processor. All of it is for another account than the one that builds, whatever the umask of the checkout was.
RUN node src/launch.js serve --help > /dev/null && (node src/launch.js health 2> /dev/null || true) && chmod -R a+rX /hygie

FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Hygie" \
  org.opencontainers.image.description="Sign-in and directory of health professionals, in one self-hosted service" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="1.0.0" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.base.name="docker.io/library/node:24-bookworm-slim"
ENV NODE_ENV=production HYGIE_CONFIG=/config HYGIE_DATA=/data HYGIE_HOST=0.0.0.0 HYGIE_COMMAND=hygie SQLITE_TMPDIR=/data
# Fewer heaps of the C library, and no large blocks in them: they keep what they once had.
ENV GLIBC_TUNABLES=glibc.malloc.arena_max=2:glibc.malloc.mmap_threshold=1048576:glibc.malloc.trim_threshold=4194304
COPY --from=build /hygie /hygie
# A volume takes owner and permissions of this folder when it is first used.
RUN ln -s /hygie/src/launch.js /usr/local/bin/hygie && install -d -m 0700 -o 1000 -g 1000 /data
WORKDIR /hygie
# The account "node" of the base image, by number: orchestrators see that it is not root.
USER 1000:1000
VOLUME /data
# Unless HYGIE_PORT says otherwise; the health check follows it.
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 CMD ["hygie", "health"]
# No shell and no npm between: the service is process 1, gets the signals itself and waits for the processes that it starts.
ENTRYPOINT ["node", "--max-semi-space-size=8", "/hygie/src/launch.js"]
CMD ["serve"]
