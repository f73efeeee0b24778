# The service in a container: docker build -t hygie . && docker run -p 3000:3000 -v hygie-data:/data -v ./config:/config:ro
#   -e HYGIE_ISSUER=https://connect.example.org hygie
FROM node:24-slim
ENV NODE_ENV=production HYGIE_CONFIG=/config HYGIE_DATA=/data HYGIE_HOST=0.0.0.0
WORKDIR /hygie
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts
COPY config config
COPY seeds seeds
COPY src src
COPY knexfile.ts LICENSE ./
RUN mkdir /config && install -d -m 0700 -o node -g node /data && cp config/*.yaml /config/
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:3000/health/live').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=16", "src/launch.js", "serve"]
